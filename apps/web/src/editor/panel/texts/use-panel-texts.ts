import { defineTexts } from '../../../i18n/texts.ts';

export const usePanelTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
