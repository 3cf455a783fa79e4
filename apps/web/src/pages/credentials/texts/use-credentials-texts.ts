import { defineTexts } from '../../../i18n/texts.ts';

export const useCredentialsTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
