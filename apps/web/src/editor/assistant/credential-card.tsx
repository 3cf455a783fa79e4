import { fieldMeta, readTextAt } from '@millrace/engine';
import { KeyRound } from 'lucide-react';
import { useId, useState } from 'react';
import type { z } from 'zod';
import type { Decision, Part } from '../../features/conversation/message.ts';
import { setParameter } from '../../features/document/change.ts';
import { useDocument } from '../../features/document/context.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CredentialField } from '../fields/credential-field.tsx';
import { useEditor } from '../state/context.tsx';
import { useAssistantTexts } from './texts/use-assistant-texts.ts';

interface CredentialCardProps {
  part: Part<'confirmation'>;
  disabled: boolean;
  onDecide: (decision: Decision) => void;
}

/** The credential of a node that the assistant asks for. It is chosen or added here, so that it never is in the conversation. */
export function CredentialCard({ part, disabled, onDecide }: CredentialCardProps) {
  const t = useAssistantTexts('credential');
  const heading = useId();
  const { summary, arguments: input } = part.asked;
  return (
    <section
      aria-labelledby={heading}
      className="my-3 rounded-l border border-line-strong bg-surface p-4 shadow-s"
    >
      <h2 id={heading} className="flex items-center gap-2 font-medium">
        <KeyRound className="size-4 shrink-0 text-warning" aria-hidden />
        <span className="min-w-0 break-words">{t('title', { name: summary })}</span>
      </h2>
      <p className="mt-2 text-sm break-words text-soft">{readTextAt(input, 'reason')}</p>
      {part.decision === null ? (
        <CredentialChoice
          node_id={readTextAt(input, 'node_id')}
          name={readTextAt(input, 'field')}
          disabled={disabled}
          onDecide={onDecide}
        />
      ) : (
        <p className="mt-3 text-sm text-soft">{t(part.decision === 'accept' ? 'chosen' : 'skipped')}</p>
      )}
    </section>
  );
}

interface CredentialChoiceProps extends Omit<CredentialCardProps, 'part'> {
  node_id: string;
  /** Of the parameter. */
  name: string;
}

function CredentialChoice({ node_id, name, disabled, onDecide }: CredentialChoiceProps) {
  const t = useAssistantTexts('credential');
  const { store, catalog } = useEditor();
  const node = useDocument(({ document }) => document.nodes.find(({ id }) => id === node_id));
  const [chosen, setChosen] = useState<string>();
  const schema = node && (catalog.get(node.type)?.params.shape[name] as z.ZodType | undefined);
  const meta = schema && fieldMeta(schema);
  const value = chosen ?? toText(node?.data[name]);
  const use = () => {
    store.getState().edit((document) => setParameter(document, node_id, { name, value }));
    onDecide('accept');
  };
  return (
    <>
      {meta ? (
        <div className="mt-3">
          <CredentialField
            node_id={node_id}
            name={name}
            meta={meta}
            value={value}
            problem={undefined}
            onChange={(next) => setChosen(toText(next))}
            onBlur={() => undefined}
          />
        </div>
      ) : (
        <p className="mt-3 text-sm">{t('accept_first')}</p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button tone="primary" disabled={disabled || !meta || value === ''} onClick={use}>
          {t('use')}
        </Button>
        <Button disabled={disabled} onClick={() => onDecide('refuse')}>
          {t('skip')}
        </Button>
      </div>
    </>
  );
}
