import { defineTexts } from '../../../../i18n/texts.ts';

export const useSkillsTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
