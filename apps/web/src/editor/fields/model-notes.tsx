import type { JsonObject } from '@millrace/engine';
import { useModelFacts } from '../../data/credentials.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import { unmetNeeds } from './unmet-needs.ts';

interface ModelNotesProps {
  credential_id: string;
  model: string;
  /** Parameters by which the node asks something of the model; absent where it only asks for text. */
  asked?: JsonObject | undefined;
}

/**
 * Says that a model has no known price, where its costs would be missing, and what the node asks of it that it is known to
 * lack. A router and expressions name no model.
 */
export function ModelNotes({ credential_id, model, asked = {} }: ModelNotesProps) {
  const t = usePanelTexts('fields');
  const typed = model.trim();
  // Asked about once it is written, not for each letter.
  const name = useDebounced(typed);
  const isPlain = name !== '' && !name.includes('$') && name.toLowerCase() !== 'auto';
  const { data } = useModelFacts(credential_id, isPlain ? name : '');
  if (!isPlain || name !== typed || !data) return null;
  return (
    <>
      {unmetNeeds(data.capabilities, asked).map((need) => (
        <p key={need} role="alert" className="text-sm text-danger">
          {t(need)}
        </p>
      ))}
      {data.price === null ? <p className="text-sm text-soft">{t('no_known_price')}</p> : null}
    </>
  );
}
