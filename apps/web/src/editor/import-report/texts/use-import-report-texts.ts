import { defineTexts } from '../../../i18n/texts.ts';

export const useImportReportTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
