import { useModelPrice } from '../../data/credentials.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';

/** Says that a model has no known price, where its costs would be missing. A router and expressions name no model. */
export function ModelPriceNote({ credential_id, model }: { credential_id: string; model: string }) {
  const t = usePanelTexts('fields');
  const typed = model.trim();
  // Asked about once it is written, not for each letter.
  const name = useDebounced(typed);
  const isPlain = name !== '' && !name.includes('$') && name.toLowerCase() !== 'auto';
  const { data } = useModelPrice(credential_id, isPlain ? name : '');
  const isUnpriced = isPlain && name === typed && data?.price === null;
  return isUnpriced ? <p className="text-sm text-soft">{t('no_known_price')}</p> : null;
}
