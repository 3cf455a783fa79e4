import { defineTexts } from '../../../i18n/texts.ts';

export const useLibraryTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
