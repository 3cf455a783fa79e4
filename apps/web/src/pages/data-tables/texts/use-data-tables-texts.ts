import { defineTexts } from '../../../i18n/texts.ts';

export const useDataTablesTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
