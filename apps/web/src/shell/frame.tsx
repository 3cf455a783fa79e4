import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { meQuery } from '../data/session.ts';
import { lazy } from '../lib/code/lazy.ts';
import { useSession } from '../session/session.ts';
import { PanelBoundary } from '../ui/layout/panel-boundary.tsx';
import { ConfirmHost } from '../ui/overlays/confirm-host.tsx';
import { Announcer } from './announcer.tsx';
import { OutdatedLine } from './outdated-line.tsx';
import { closeOverlays, useShell } from './overlays.ts';
import { PhoneBar } from './phone-bar.tsx';
import { ShellCommands } from './shell-commands.tsx';
import { Sidebar } from './sidebar.tsx';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazy(() => import('./palette.tsx'));
const QuickDrawer = lazy(() => import('../pages/quick-drawer/quick-drawer.tsx'));
const OwnBudgetNotice = lazy(() =>
  import('../features/workflow/budget-notices.tsx').then((module) => ({ default: module.OwnBudgetNotice })),
);
const SignInAgain = lazy(() => import('./sign-in-again.tsx'));
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((module) => ({ default: module.ShortcutsDialog })),
);

function Overlays() {
  const { palette, shortcuts, quickDrawer } = useShell();
  const ended = useSession((state) => state.status === 'ended');
  return (
    <Suspense>
      {palette ? <Palette open onOpenChange={(open) => useShell.setState({ palette: open })} /> : null}
      {shortcuts ? (
        <ShortcutsDialog open onOpenChange={(open) => useShell.setState({ shortcuts: open })} />
      ) : null}
      {quickDrawer ? (
        <QuickDrawer open onOpenChange={(open) => useShell.setState({ quickDrawer: open })} />
      ) : null}
      {ended ? <SignInAgain /> : null}
    </Suspense>
  );
}

/** Loaded only by those who have set a budget. */
function OwnBudget() {
  const budget = useQuery(meQuery).data?.daily_budget_usd ?? null;
  return budget === null ? null : (
    <Suspense>
      <OwnBudgetNotice amount_usd={budget} />
    </Suspense>
  );
}

/** Sidebar, content and the overlays of every signed-in page. */
export function Frame() {
  const t = useTranslations('nav');
  const { pathname } = useLocation();
  useShortcuts();
  useEffect(closeOverlays, [pathname]);
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-m bg-accent px-3 py-1.5 font-medium text-on-accent focus-visible:translate-y-0"
      >
        {t('skip')}
      </a>
      <ShellCommands />
      <Announcer />
      <Sidebar />
      <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 grow flex-col bg-surface outline-none">
        <OwnBudget />
        <div className="min-h-0 flex-1">
          <PanelBoundary resetKeys={[pathname]}>
            <Suspense>
              <Outlet />
            </Suspense>
          </PanelBoundary>
        </div>
        <OutdatedLine />
      </main>
      <PhoneBar />
      <Overlays />
      <ConfirmHost />
    </div>
  );
}
