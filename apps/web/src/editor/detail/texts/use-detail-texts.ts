import { defineTexts } from '../../../i18n/texts.ts';

export const useDetailTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
