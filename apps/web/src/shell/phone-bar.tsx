import { Link } from '@tanstack/react-router';
import { Activity, Menu as MenuIcon, Search, Workflow, Zap } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useInboxCount } from '../data/inbox-count.ts';
import { useMe } from '../data/session.ts';
import { Menu } from '../ui/actions/menu.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { Sheet } from '../ui/overlays/dialog.tsx';
import { useAccountItems } from './account-menu.tsx';
import { openPalette, openQuickDrawer, useShell } from './overlays.ts';
import { NavList } from './sidebar.tsx';

const TAB =
  'flex h-14 min-w-0 grow basis-0 flex-col items-center justify-center gap-0.5 text-xs text-soft outline-offset-[-3px] aria-[current=page]:font-medium aria-[current=page]:text-accent-text [&>svg]:size-5';

/** The lower bar of phones: the places one goes to most, search, and the drawer with the rest. */
export function PhoneBar() {
  const t = useTranslations('nav');
  const open = useShell((state) => state.menu);
  const setOpen = (menu: boolean) => useShell.setState({ menu });
  return (
    <>
      <nav
        aria-label={t('main')}
        className="flex shrink-0 border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={TAB}>
          <Workflow aria-hidden />
          {t('workflows')}
        </Link>
        <Link to="/runs" className={TAB}>
          <Activity aria-hidden />
          {t('runs')}
        </Link>
        <button type="button" className={TAB} onClick={openPalette} aria-label={t('search')}>
          <Search aria-hidden />
          {t('search_short')}
        </button>
        <button type="button" className={TAB} onClick={openQuickDrawer}>
          <Zap aria-hidden />
          <span className="max-w-full truncate">{t('quick_drawer')}</span>
        </button>
        <button type="button" className={TAB} aria-expanded={open} onClick={() => setOpen(true)}>
          <span className="relative">
            <MenuIcon className="size-5" aria-hidden />
            <InboxCount />
          </span>
          {t('more')}
        </button>
      </nav>
      <Sheet open={open} onOpenChange={setOpen} side="left" title="Millrace">
        <div className="flex min-h-full flex-col p-3">
          <NavList onGo={() => setOpen(false)} />
          <Account />
        </div>
      </Sheet>
    </>
  );
}

/** The inbox is behind the button. */
function InboxCount() {
  const t = useTranslations('nav');
  const count = useInboxCount();
  if (count === 0) return null;
  return (
    <span className="tabular absolute -top-1.5 left-3 rounded-full bg-danger-tint px-1 text-xs font-medium text-danger">
      {count}
      <span className="sr-only">{`${t('inbox')}: ${t('waiting', { count })}`}</span>
    </span>
  );
}

function Account() {
  const t = useTranslations('nav');
  const me = useMe();
  return (
    <Menu items={useAccountItems()} side="top" align="start">
      <button
        type="button"
        aria-label={`${t('account')}: ${me.name}`}
        className="mt-auto flex h-12 items-center gap-2.5 rounded-m px-2 text-left hover:bg-hover"
      >
        <Avatar name={me.name} />
        <span className="min-w-0 truncate">{me.name}</span>
      </button>
    </Menu>
  );
}
