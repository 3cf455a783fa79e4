import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { BookOpen, ChevronsUpDown, Keyboard, LogOut, Monitor, Moon, Settings, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { signOut, useMe } from '../data/session.ts';
import { THEMES, type Theme, usePreferences } from '../session/preferences.ts';
import { Menu, type MenuItem } from '../ui/actions/menu.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { showFailure } from '../ui/overlays/toast.ts';
import { openShortcuts } from './overlays.ts';

const THEME_ICONS: Record<Theme, ReactNode> = {
  system: <Monitor aria-hidden />,
  light: <Sun aria-hidden />,
  dark: <Moon aria-hidden />,
};

export function useAccountItems(): MenuItem[] {
  const t = useTranslations('nav');
  const client = useQueryClient();
  const navigate = useNavigate();
  const theme = usePreferences((state) => state.theme);
  const change = usePreferences((state) => state.change);
  return [
    {
      label: t('settings'),
      icon: <Settings aria-hidden />,
      onSelect: () => void navigate({ to: '/settings' }),
    },
    {
      kind: 'group',
      label: t('theme'),
      icon: THEME_ICONS[theme],
      items: THEMES.map((choice) => ({
        label: t(`theme_${choice}`),
        icon: THEME_ICONS[choice],
        checked: choice === theme,
        onSelect: () => change({ theme: choice }),
      })),
    },
    { label: t('shortcuts'), icon: <Keyboard aria-hidden />, keys: '?', onSelect: openShortcuts },
    {
      label: t('api_reference'),
      icon: <BookOpen aria-hidden />,
      onSelect: () => window.open('/docs', '_blank', 'noopener'),
    },
    { kind: 'separator' },
    {
      label: t('sign_out'),
      icon: <LogOut aria-hidden />,
      onSelect: () => void signOut(client).then(() => navigate({ to: '/sign-in' }), showFailure),
    },
  ];
}

export function AccountMenu({ collapsed }: { collapsed: boolean }) {
  const t = useTranslations('nav');
  const me = useMe();
  const items = useAccountItems();
  return (
    <Menu items={items} align="start" side="top">
      <button
        type="button"
        {...(collapsed ? { 'aria-label': `${t('account')}: ${me.name}` } : {})}
        className={clsx(
          'mt-2 flex h-10 items-center gap-2 rounded-m px-1.5 text-left hover:bg-hover data-[state=open]:bg-hover',
          collapsed && 'justify-center',
        )}
      >
        <Avatar name={me.name} />
        {collapsed ? null : (
          <>
            <span className="min-w-0 grow">
              <span className="sr-only">{t('account')}: </span>
              <span className="block truncate text-sm font-medium">{me.name}</span>
              <span className="block truncate text-xs text-faint">{me.email}</span>
            </span>
            <ChevronsUpDown className="size-3.5 shrink-0 text-faint" aria-hidden />
          </>
        )}
      </button>
    </Menu>
  );
}
