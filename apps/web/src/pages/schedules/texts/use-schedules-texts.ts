import { defineTexts } from '../../../i18n/texts.ts';

export const useSchedulesTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
