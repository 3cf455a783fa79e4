import { Monitor, Moon, Rows2, Rows3, Sun } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { LOCALES, localeFor } from '../../lib/locale.ts';
import { usePreferences } from '../../session/preferences.ts';
import { Segmented } from '../../ui/forms/toggles.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

/** Each language calls itself by its own name. */
const NAMES = { en: 'English', de: 'Deutsch' };

export function AppearanceSettings() {
  const t = useSettingsTexts();
  const nav = useTranslations('nav');
  const theme = usePreferences((state) => state.theme);
  const density = usePreferences((state) => state.density);
  const locale = usePreferences((state) => state.locale);
  const change = usePreferences((state) => state.change);
  return (
    <>
      <Section title={nav('theme')} hint={t('theme_hint')}>
        <Segmented
          label={nav('theme')}
          value={theme}
          onChange={(value) => change({ theme: value })}
          choices={[
            { value: 'system', label: nav('theme_system'), icon: <Monitor aria-hidden /> },
            { value: 'light', label: nav('theme_light'), icon: <Sun aria-hidden /> },
            { value: 'dark', label: nav('theme_dark'), icon: <Moon aria-hidden /> },
          ]}
        />
      </Section>
      <Section title={t('density')} hint={t('density_hint')}>
        <Segmented
          label={t('density')}
          value={density}
          onChange={(value) => change({ density: value })}
          choices={[
            { value: 'compact', label: t('compact'), icon: <Rows3 aria-hidden /> },
            { value: 'comfortable', label: t('comfortable'), icon: <Rows2 aria-hidden /> },
          ]}
        />
      </Section>
      <Section title={t('language')} hint={t('language_hint')}>
        <Segmented
          label={t('language')}
          value={localeFor(locale, navigator.languages)}
          onChange={(value) => change({ locale: value })}
          choices={LOCALES.map((value) => ({ value, label: NAMES[value] }))}
        />
      </Section>
    </>
  );
}
