import type { ModelCapabilities } from '@millrace/contracts';
import { useLocale } from 'use-intl';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';

/** The capabilities of a model, in a few words: `128K context · image input · tools`. */
export function useCapabilityWords(): (capabilities: ModelCapabilities | undefined) => string {
  const t = usePanelTexts('fields');
  const locale = useLocale();
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  return (capabilities) => {
    if (!capabilities) return '';
    const { vision, tools, structured_output, context_window_tokens } = capabilities;
    return [
      t('model_context', { tokens: short.format(context_window_tokens) }),
      ...(vision ? [t('model_images')] : []),
      ...(tools ? [t('model_tools')] : []),
      ...(structured_output ? [t('model_schema')] : []),
    ].join(' · ');
  };
}
