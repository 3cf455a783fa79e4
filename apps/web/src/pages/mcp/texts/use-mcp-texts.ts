import { defineTexts } from '../../../i18n/texts.ts';

export const useMcpTexts = defineTexts({
  en: () => import('./en.json'),
  de: () => import('./de.json'),
});
