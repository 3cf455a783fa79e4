import { defineTexts } from '../../../i18n/texts.ts';

export const useAuditTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
