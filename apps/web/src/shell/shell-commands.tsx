import { useNavigate } from '@tanstack/react-router';
import { Keyboard, PanelLeft, Search, SunMoon } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { usePreferences } from '../session/preferences.ts';
import { type Command, useCommands } from './commands.ts';
import { DESTINATIONS } from './destinations.ts';
import { openPalette, openShortcuts } from './overlays.ts';

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
  const t = useTranslations();
  const navigate = useNavigate();
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'shell.palette',
        title: t('palette.open_palette'),
        icon: <Search aria-hidden />,
        keys: '$mod+k',
        scope: 'everywhere',
        keysOnly: true,
        run: openPalette,
      },
      {
        id: 'shell.shortcuts',
        title: t('palette.show_shortcuts'),
        icon: <Keyboard aria-hidden />,
        keys: 'Shift+?',
        scope: 'everywhere',
        run: openShortcuts,
      },
      {
        id: 'shell.sidebar',
        title: t('nav.collapse'),
        icon: <PanelLeft aria-hidden />,
        keys: '[',
        scope: 'everywhere',
        run: toggleSidebar,
      },
      {
        id: 'shell.theme',
        title: t('palette.toggle_theme'),
        icon: <SunMoon aria-hidden />,
        scope: 'everywhere',
        run: toggleTheme,
      },
      ...DESTINATIONS.flatMap((group) =>
        group.items.map((item): Command => {
          const Icon = item.icon;
          return {
            id: `go.${item.name}`,
            title: t(`nav.${item.name}`),
            icon: <Icon aria-hidden />,
            keys: `g ${item.key}`,
            scope: 'go',
            run: () => void navigate({ to: item.to }),
          };
        }),
      ),
    ],
    [t, navigate],
  );
  useCommands(commands);
  return null;
}
