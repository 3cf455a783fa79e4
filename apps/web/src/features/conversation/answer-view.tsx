import type { ChatAnswer, ChatPart } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { LoaderCircle, Search } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { lazy } from '../../lib/code/lazy.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { ConfirmationCard } from './confirmation-card.tsx';
import type { Decision, Part } from './message.ts';
import { useConversationTexts } from './texts/use-conversation-texts.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

const STEPS = [
  'list_workflows',
  'explain_workflow',
  'list_runs',
  'read_run',
  'list_schedules',
  'list_triggers',
  'list_variables',
  'list_files',
  'list_node_types',
  'describe_node_type',
  'run_workflow',
  'cancel_run',
  'set_trigger_paused',
  'propose_workflow',
  'find_failed_run',
  'try_draft',
  'ask_for_credential',
] as const;
type Step = (typeof STEPS)[number];
const isStep = (tool: string): tool is Step => (STEPS as readonly string[]).includes(tool);

/** A card of the caller's own for what is asked; undefined for the usual one. */
export type DrawConfirmation = (
  part: Part<'confirmation'>,
  rest: { disabled: boolean; onDecide: (decision: Decision) => void },
) => ReactNode;

interface PartProps {
  part: ChatPart;
  canDecide: boolean;
  onDecide: (part: Part<'confirmation'>, decision: Decision) => void;
  drawConfirmation: DrawConfirmation | undefined;
}

function PartView({ part, canDecide, onDecide, drawConfirmation }: PartProps) {
  const t = useConversationTexts();
  switch (part.kind) {
    case 'text':
      return (
        <div className="break-words">
          <Suspense fallback={<p className="whitespace-pre-wrap">{part.text}</p>}>
            <MarkdownView text={part.text} />
          </Suspense>
        </div>
      );
    case 'step':
      return (
        <p className="my-1.5 flex items-center gap-2 text-sm text-soft">
          <Search className="size-3.5 shrink-0" aria-hidden />
          {isStep(part.tool) ? t(`steps.${part.tool}`) : part.label}
        </p>
      );
    case 'output':
      return (
        <div className="my-2 flex flex-col items-start gap-2">
          {part.images.map((image, at) => (
            <img
              key={at}
              src={image}
              alt={t('images')}
              className="max-h-96 max-w-full rounded-m border border-line"
            />
          ))}
          {part.run_id === null ? null : (
            <Link to="/runs/$id" params={{ id: part.run_id }} className={buttonStyle({ size: 'small' })}>
              {t('run')}
            </Link>
          )}
        </div>
      );
    case 'review':
      return (
        <section
          aria-label={t('review.title')}
          className="my-3 rounded-l border border-line-strong bg-surface p-4 shadow-s"
        >
          <h2 className="font-medium">{part.summary || t('review.title')}</h2>
          <p className="mt-2 max-h-40 overflow-y-auto text-sm break-words whitespace-pre-wrap text-soft">
            {part.draft_text}
          </p>
          {part.review_url === null ? (
            <p className="mt-3 text-sm">{t('review.in_run')}</p>
          ) : (
            <a
              href={part.review_url}
              target="_blank"
              rel="noreferrer noopener"
              className={`${buttonStyle({ tone: 'primary' })} mt-3`}
            >
              {t('review.open')}
            </a>
          )}
        </section>
      );
    case 'confirmation': {
      const rest = { disabled: !canDecide, onDecide: (decision: Decision) => onDecide(part, decision) };
      return drawConfirmation?.(part, rest) ?? <ConfirmationCard part={part} {...rest} />;
    }
    case 'proposal':
      return part.proposed === null ? (
        <p className="my-1.5 text-sm text-soft">{t(`proposal.${part.decision ?? 'not_decided'}`)}</p>
      ) : null;
    default:
      return part satisfies never;
  }
}

interface AnswerViewProps extends Omit<PartProps, 'part'> {
  answer: ChatAnswer;
  /** Absent where the question cannot be asked again. */
  onRetry: (() => void) | undefined;
}

/** Shows what the assistant said and did, and how it ended where that was not well. */
export function AnswerView({ answer, onRetry, ...deciding }: AnswerViewProps) {
  const t = useConversationTexts();
  const { parts, state, problem } = answer;
  const said = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
  const ending =
    state === 'failed'
      ? problem
      : state === 'lost'
        ? t('interrupted')
        : state === 'stopped'
          ? t('stopped')
          : null;
  return (
    <article aria-label={t('assistant')} aria-busy={state === 'open'} className="min-w-0">
      {parts.map((part, at) => (
        <PartView key={at} part={part} {...deciding} />
      ))}
      {state === 'open' ? (
        <p className="mt-1.5 flex items-center gap-2 text-sm text-soft" role="status">
          <LoaderCircle className="size-3.5 animate-spin" aria-hidden />
          {t('thinking')}
        </p>
      ) : null}
      {state === 'open' || said.trim() === '' ? null : (
        <CopyButton text={said} label={t('copy')} className="-ml-1.5 mt-1" />
      )}
      {ending === null ? null : (
        <div
          role={state === 'failed' ? 'alert' : undefined}
          className="mt-2 flex flex-wrap items-center gap-3 text-sm"
        >
          <span className={state === 'failed' ? 'text-danger' : 'text-soft'}>{ending}</span>
          {onRetry ? (
            <Button size="small" onClick={onRetry}>
              {t('retry')}
            </Button>
          ) : null}
        </div>
      )}
    </article>
  );
}
