import { defineTexts } from '../../../i18n/texts.ts';

export const useTriggersTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
