import { getRouteApi } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { ArrowLeft, Plus, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTeams } from '../../data/teams.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { PanelBoundary } from '../../ui/layout/panel-boundary.tsx';
import { TeamDetail } from './team-detail.tsx';
import { TeamDialog } from './team-dialog.tsx';
import { useTeamsTexts } from './texts/use-teams-texts.ts';

const route = getRouteApi('/app/teams');

/** Teams at the left, the chosen one at the right; on phones one after the other. */
export function TeamsPage() {
  const t = useTeamsTexts();
  const query = useTeams();
  const { team: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  useCommands(
    useMemo<Command[]>(
      () => [
        {
          id: 'teams.new',
          title: t('new'),
          icon: <Plus aria-hidden />,
          keys: 'n',
          run: () => setCreating(true),
        },
      ],
      [t],
    ),
  );
  const go = (team: string | undefined) => void navigate({ search: team ? { team } : {} });
  const teams = query.data ?? [];
  const shown = chosen ?? teams[0]?.id;
  const create = (
    <Button tone="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      {t('new')}
    </Button>
  );
  return (
    <Page
      fill
      title={t('title')}
      badge={query.data ? <Count value={teams.length} /> : null}
      lead={
        chosen ? (
          <IconButton
            className="md:hidden"
            label={t('title')}
            icon={<ArrowLeft aria-hidden />}
            onClick={() => go(undefined)}
          />
        ) : null
      }
      actions={create}
    >
      {query.isPending ? (
        <SkeletonRows />
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : teams.length === 0 ? (
        <EmptyState icon={<UsersRound aria-hidden />} title={t('none')} actions={create}>
          {t('none_hint')}
        </EmptyState>
      ) : (
        <div className="flex min-h-0 grow">
          <nav
            aria-label={t('title')}
            className={clsx(
              'w-full shrink-0 overflow-y-auto border-line p-2 md:w-64 md:border-r',
              chosen && 'max-md:hidden',
            )}
          >
            <ul className="flex flex-col gap-px">
              {teams.map((team) => (
                <li key={team.id}>
                  <button
                    type="button"
                    aria-current={team.id === shown ? 'page' : undefined}
                    onClick={() => go(team.id)}
                    className={clsx(
                      'flex min-h-11 w-full items-center gap-2.5 rounded-m px-2 text-left outline-offset-[-2px]',
                      team.id === shown ? 'md:bg-active' : 'hover:bg-hover',
                    )}
                  >
                    <Avatar square name={team.name} />
                    <span className="min-w-0">
                      <span className="block truncate font-medium">{team.name}</span>
                      <span className="block text-sm text-faint">
                        {t('member_count', { count: team.member_count })}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </nav>
          {shown ? (
            <section className={clsx('min-w-0 grow', !chosen && 'max-md:hidden')}>
              <PanelBoundary resetKeys={[shown]}>
                <TeamDetail key={shown} id={shown} onGone={() => go(undefined)} />
              </PanelBoundary>
            </section>
          ) : null}
        </div>
      )}
      {creating ? <TeamDialog onClose={() => setCreating(false)} onCreated={go} /> : null}
    </Page>
  );
}
