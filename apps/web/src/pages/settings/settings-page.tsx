import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../data/session.ts';
import { SETTINGS_TABS } from '../../search.ts';
import { Page } from '../../ui/layout/page.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { AdministrationSettings } from './administration-settings.tsx';
import { AppearanceSettings } from './appearance-settings.tsx';
import { ProfileSettings } from './profile-settings.tsx';
import { SecuritySettings } from './security-settings.tsx';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

const route = getRouteApi('/app/settings');

const CONTENT = {
  profile: <ProfileSettings />,
  security: <SecuritySettings />,
  appearance: <AppearanceSettings />,
  administration: <AdministrationSettings />,
};

export function SettingsPage() {
  const t = useSettingsTexts();
  const me = useMe();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page fill title={t('title')}>
      <Tabs
        className="grow"
        label={t('title')}
        value={tab === undefined || (tab === 'administration' && !me.is_admin) ? 'profile' : tab}
        onChange={(next) => void navigate({ search: next === 'profile' ? {} : { tab: next }, replace: true })}
        tabs={SETTINGS_TABS.filter((value) => value !== 'administration' || me.is_admin).map((value) => ({
          value,
          label: t(value),
          content: <div className="mx-auto max-w-4xl px-5">{CONTENT[value]}</div>,
        }))}
      />
    </Page>
  );
}
