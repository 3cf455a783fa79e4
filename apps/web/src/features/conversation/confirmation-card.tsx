import { Check, ShieldQuestion, X } from 'lucide-react';
import { Button } from '../../ui/actions/button.tsx';
import type { Decision, Part } from './message.ts';
import { useConversationTexts } from './texts/use-conversation-texts.ts';

const KNOWN = ['run_workflow', 'cancel_run', 'set_trigger_paused', 'try_draft'] as const;
type Known = (typeof KNOWN)[number];
const isKnown = (tool: string): tool is Known => (KNOWN as readonly string[]).includes(tool);

/** Ids mean nothing to people: the summary has the names instead. */
function shownValues(input: Readonly<Record<string, unknown>>): string {
  const { workflow_id: _, run_id: __, ...rest } = input;
  const values = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => JSON.stringify(value) !== '{}'),
  );
  return Object.keys(values).length === 0 ? '' : JSON.stringify(values, null, 2);
}

interface ConfirmationCardProps {
  part: Part<'confirmation'>;
  disabled: boolean;
  onDecide: (decision: Decision) => void;
}

/** The action that the assistant proposes, with the buttons that decide it. */
export function ConfirmationCard({ part, disabled, onDecide }: ConfirmationCardProps) {
  const t = useConversationTexts('confirm');
  const { tool, summary, arguments: input } = part.asked;
  const isTry = tool === 'try_draft';
  const values = isTry ? '' : shownValues(input);
  const title = t(isKnown(tool) ? tool : 'other', { name: isKnown(tool) ? summary : `${tool} ${summary}` });
  return (
    <section aria-label={title} className="my-3 rounded-l border border-line-strong bg-surface p-4 shadow-s">
      <h2 className="flex items-center gap-2 font-medium">
        <ShieldQuestion className="size-4 shrink-0 text-warning" aria-hidden />
        <span className="min-w-0 break-words">{title}</span>
      </h2>
      {isTry ? (
        <p className="mt-2 text-sm text-soft">
          {t(input['from'] === 'start' ? 'try_from_start' : 'try_from_failed')}
        </p>
      ) : null}
      {values === '' ? null : (
        <>
          <p className="mt-2 text-sm text-soft">{t('with')}</p>
          <pre
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
            tabIndex={0}
            role="region"
            aria-label={t('with')}
            className="mt-1 max-h-60 overflow-auto rounded-m bg-sunken p-2 font-mono text-sm"
          >
            {values}
          </pre>
        </>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {part.decision === null ? (
          <>
            <Button tone="primary" disabled={disabled} onClick={() => onDecide('accept')}>
              <Check aria-hidden />
              {t('accept')}
            </Button>
            <Button disabled={disabled} onClick={() => onDecide('refuse')}>
              <X aria-hidden />
              {t('refuse')}
            </Button>
          </>
        ) : (
          <p className="text-sm text-soft">{t(part.decision === 'accept' ? 'accepted' : 'refused')}</p>
        )}
      </div>
    </section>
  );
}
