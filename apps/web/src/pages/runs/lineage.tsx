import type { HistoryEntry, HistoryItem } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { isOpen, useCalledRuns, useReplays } from '../../data/runs.ts';
import { Badge, StatusChip } from '../../ui/display/status-chip.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';

/** Enough of an id to tell runs apart by. */
const SHORT = 8;

/** Named after its workflow, or else by its id. */
function RunLink({ id, name }: { id: string; name?: string }) {
  const t = useRunsTexts();
  return (
    <Link to="/runs/$id" params={{ id }} title={id} className="text-accent-text underline">
      {name ?? t('run_short', { id: id.slice(0, SHORT) })}
    </Link>
  );
}

/** Where a replay began, in words. */
function useBegan({ replay_from, node_results }: HistoryEntry): string | undefined {
  const t = useRunsTexts();
  if (!replay_from) return undefined;
  const { from, node_id, only } = replay_from;
  if (from === 'start') return t('replay_start');
  if (node_id === null) return t('replay_rest');
  // A replay on another version may lack the node.
  const node = node_results.find((result) => result.node_id === node_id)?.node_label ?? node_id;
  return only ? t('replay_only', { node }) : t('replay_node', { node });
}

/** Which run called this one, and which it called as sub-workflows. */
function Calls({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const called = useCalledRuns(run).data;
  const others = called ? called.total - called.items.length : 0;
  return (
    <>
      {run.called_by === null ? null : (
        <>
          <dt>{t('called_by')}</dt>
          <dd>
            <RunLink id={run.called_by.id} name={run.called_by.workflow_name} />
          </dd>
        </>
      )}
      {called === undefined || called.items.length === 0 ? null : (
        <>
          <dt>{t('called')}</dt>
          <dd>
            <ul className="flex flex-wrap gap-x-3 gap-y-1">
              {called.items.map(({ id, status, workflow_name }) => (
                <li key={id} className="flex items-center gap-1">
                  <StatusChip status={status} look="icon" />
                  <RunLink id={id} name={workflow_name} />
                </li>
              ))}
              {others > 0 ? <li className="text-soft">{t('called_others', { count: others })}</li> : null}
            </ul>
          </dd>
        </>
      )}
    </>
  );
}

/** Which run this one is a replay of, and which are replays of it; which called it, and which it called. */
export function Lineage({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const began = useBegan(run);
  const replays = useReplays(run.id, !isOpen(run.status)).data ?? [];
  return (
    <>
      <Calls key={run.id} run={run} />
      {run.replay_of === null ? null : (
        <>
          <dt>{t('replay_of')}</dt>
          <dd>
            <RunLink id={run.replay_of} />
            {began === undefined ? null : <span className="text-soft">, {began}</span>}
          </dd>
        </>
      )}
      {replays.length === 0 ? null : (
        <>
          <dt>{t('replays')}</dt>
          <dd>
            <ul className="flex flex-wrap gap-x-3 gap-y-1">
              {replays.map(({ id, status }) => (
                <li key={id} className="flex items-center gap-1">
                  <StatusChip status={status} look="icon" />
                  <RunLink id={id} />
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </>
  );
}

/** Says in a list that a run is a replay, and leads to the run that it is of. */
export function ReplayBadge({ run }: { run: Pick<HistoryItem, 'replay_of'> }) {
  const t = useRunsTexts();
  if (run.replay_of === null) return null;
  const name = t('replay_of_run', { id: run.replay_of.slice(0, SHORT) });
  return (
    <Link to="/runs/$id" params={{ id: run.replay_of }} aria-label={name} title={name} className="shrink-0">
      <Badge>
        <History aria-hidden />
        {t('replay')}
      </Badge>
    </Link>
  );
}
