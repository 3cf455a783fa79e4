import { useNavigate } from '@tanstack/react-router';
import { Keyboard, PanelLeft, Search, SunMoon, Zap } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { type Command, useCommands } from '../lib/commands.ts';
import { usePreferences } from '../session/preferences.ts';
import { openPalette, openQuickDrawer, openShortcuts } from './overlays.ts';
import { DESTINATIONS } from './places/destinations.ts';

function toggleTheme(): void {
  const dark = document.documentElement.dataset['theme'] === 'dark';
  usePreferences.getState().change({ theme: dark ? 'light' : 'dark' });
}

function toggleSidebar(): void {
  const { sidebarCollapsed, change } = usePreferences.getState();
  change({ sidebarCollapsed: !sidebarCollapsed });
}

/** The commands that exist on every page. */
export function ShellCommands() {
  const t = useTranslations('palette');
  const nav = useTranslations('nav');
  const navigate = useNavigate();
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'shell.palette',
        title: t('open_palette'),
        icon: <Search aria-hidden />,
        keys: '$mod+k',
        scope: 'everywhere',
        keysOnly: true,
        run: openPalette,
      },
      {
        id: 'shell.quick_drawer',
        title: nav('quick_drawer'),
        icon: <Zap aria-hidden />,
        keys: 'q',
        scope: 'everywhere',
        run: openQuickDrawer,
      },
      {
        id: 'shell.shortcuts',
        title: t('show_shortcuts'),
        icon: <Keyboard aria-hidden />,
        keys: 'Shift+?',
        scope: 'everywhere',
        run: openShortcuts,
      },
      {
        id: 'shell.sidebar',
        title: nav('collapse'),
        icon: <PanelLeft aria-hidden />,
        keys: '[',
        scope: 'everywhere',
        run: toggleSidebar,
      },
      {
        id: 'shell.theme',
        title: t('toggle_theme'),
        icon: <SunMoon aria-hidden />,
        scope: 'everywhere',
        run: toggleTheme,
      },
      ...DESTINATIONS.flatMap((group) =>
        group.items.map((item): Command => {
          const Icon = item.icon;
          return {
            id: `go.${item.name}`,
            title: nav(item.name),
            icon: <Icon aria-hidden />,
            keys: `g ${item.key}`,
            scope: 'go',
            run: () => void navigate({ to: item.to }),
          };
        }),
      ),
    ],
    [t, nav, navigate],
  );
  useCommands(commands);
  return null;
}
