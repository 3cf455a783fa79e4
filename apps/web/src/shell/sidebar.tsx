import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { PanelLeftClose, PanelLeftOpen, Search, Zap } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useActiveRunCount } from '../data/active-runs.ts';
import { useInboxCount } from '../data/inbox-count.ts';
import { usePreferences } from '../session/preferences.ts';
import { IconButton } from '../ui/actions/icon-button.tsx';
import { Keys } from '../ui/display/keys.tsx';
import { Mark } from '../ui/display/mark.tsx';
import { Tooltip } from '../ui/overlays/tooltip.tsx';
import { AccountMenu } from './account-menu.tsx';
import { openPalette, openQuickDrawer } from './overlays.ts';
import { DESTINATIONS, type Destination, type DestinationName } from './places/destinations.ts';

const LINK =
  'group/link flex h-8 items-center gap-2.5 rounded-m px-2 text-base text-soft outline-offset-[-2px] hover:bg-hover hover:text-text aria-[current=page]:bg-active aria-[current=page]:font-medium aria-[current=page]:text-text pointer-coarse:h-11';

function NavLink({ item, collapsed, onGo }: { item: Destination; collapsed: boolean; onGo?: () => void }) {
  const t = useTranslations('nav');
  const counts: Partial<Record<DestinationName, number>> = {
    runs: useActiveRunCount(),
    inbox: useInboxCount(),
  };
  const Icon = item.icon;
  const count = counts[item.name] || undefined;
  const isInbox = item.name === 'inbox';
  const link = (
    <Link
      to={item.to}
      activeOptions={{ exact: item.to === '/', includeSearch: false }}
      className={clsx(LINK, collapsed && 'relative justify-center')}
      {...(onGo ? { onClick: onGo } : {})}
    >
      <Icon
        className="size-4 shrink-0 text-faint group-aria-[current=page]/link:text-accent-text"
        aria-hidden
      />
      <span className={collapsed ? 'sr-only' : 'grow truncate'}>{t(item.name)}</span>
      {count === undefined ? null : (
        <span
          className={clsx(
            'tabular inline-flex items-center gap-1 rounded-full text-xs font-medium',
            isInbox ? 'bg-danger-tint text-danger' : 'bg-info-tint text-info',
            collapsed ? 'absolute -top-0.5 right-0.5 px-1' : 'px-1.5',
          )}
          title={t(isInbox ? 'waiting' : 'running', { count })}
        >
          {count}
          <span className="sr-only">{t(isInbox ? 'waiting' : 'running', { count })}</span>
        </span>
      )}
    </Link>
  );
  return collapsed ? (
    <Tooltip text={t(item.name)} keys={`g ${item.key}`} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

/** The list of places; also the content of the drawer on phones. */
export function NavList({ collapsed = false, onGo }: { collapsed?: boolean; onGo?: () => void }) {
  const t = useTranslations('nav');
  return DESTINATIONS.map((group) => (
    <div key={group.name} role="group" aria-label={t(group.name)} className="flex flex-col gap-px">
      {collapsed ? (
        <hr className="mx-2 my-1.5 border-line first:hidden" />
      ) : (
        <h2 className="px-2 pt-3 pb-1 text-xs font-medium text-faint">{t(group.name)}</h2>
      )}
      {group.items.map((item) => (
        <NavLink key={item.name} item={item} collapsed={collapsed} {...(onGo ? { onGo } : {})} />
      ))}
    </div>
  ));
}

export function Sidebar() {
  const t = useTranslations('nav');
  const collapsed = usePreferences((state) => state.sidebarCollapsed);
  const change = usePreferences((state) => state.change);
  return (
    <nav
      aria-label={t('main')}
      className={clsx(
        'hidden shrink-0 flex-col border-r border-line bg-canvas py-2 md:flex',
        collapsed ? 'w-13 px-1.5' : 'w-56 px-2',
      )}
    >
      <div className={clsx('flex items-center gap-2 pb-2', collapsed ? 'flex-col' : 'h-9 px-1')}>
        <Link to="/" className="flex items-center gap-2 rounded-m font-semibold" aria-label="Millrace">
          <Mark />
          {collapsed ? null : <span className="text-lg tracking-tight">Millrace</span>}
        </Link>
        <IconButton
          label={collapsed ? t('expand') : t('collapse')}
          keys="["
          size="small"
          className={collapsed ? '' : 'ml-auto'}
          icon={collapsed ? <PanelLeftOpen aria-hidden /> : <PanelLeftClose aria-hidden />}
          onClick={() => change({ sidebarCollapsed: !collapsed })}
        />
      </div>
      {collapsed ? (
        <IconButton
          label={t('search')}
          keys="$mod+k"
          icon={<Search aria-hidden />}
          className="mx-auto"
          onClick={openPalette}
        />
      ) : (
        <button
          type="button"
          onClick={openPalette}
          className="mb-1 flex h-8 items-center gap-2 rounded-m border border-line-strong bg-surface px-2 text-left text-base text-faint shadow-s hover:bg-hover"
        >
          <Search className="size-4" aria-hidden />
          <span className="grow truncate">{t('search_short')}</span>
          <Keys keys="$mod+k" />
        </button>
      )}
      <button
        type="button"
        onClick={openQuickDrawer}
        aria-label={t('quick_drawer')}
        className={clsx(LINK, collapsed && 'justify-center')}
      >
        <Zap className="size-4 shrink-0 text-faint" aria-hidden />
        {collapsed ? null : (
          <>
            <span className="grow truncate text-left">{t('quick_drawer')}</span>
            <Keys keys="q" />
          </>
        )}
      </button>
      <div className="hide-scrollbar -mx-1 grow overflow-y-auto px-1">
        <NavList collapsed={collapsed} />
      </div>
      <AccountMenu collapsed={collapsed} />
    </nav>
  );
}
