import type { HistoryEntry } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useMemo } from 'react';
import { type Command, useCommands } from '../../../lib/commands.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { neighboursQuery } from './neighbours.ts';

const route = getRouteApi('/app/runs/$id');

/** Listed in the shell's list of shortcuts; the page binds them itself. */
const ARROWS = [
  ['later_node', '→'],
  ['earlier_node', '←'],
] as const;
const nothing = () => undefined;

/** Leads to the failed runs before and after this one in the list that one came from, or of the workflow. */
export function FailureSteps({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = useQuery(neighboursQuery(run, search));
  const { next, previous } = data ?? {};
  const commands = useMemo(() => {
    const to = (id: string | undefined) => () =>
      id === undefined ? undefined : void navigate({ to: '/runs/$id', params: { id }, search });
    const list: Command[] = [
      { id: 'run.next_failure', title: t('next_failure'), keys: 'j', repeats: true, run: to(next) },
      {
        id: 'run.previous_failure',
        title: t('previous_failure'),
        keys: 'k',
        repeats: true,
        run: to(previous),
      },
      ...ARROWS.map(
        ([name, keys]): Command => ({
          id: `run.${name}`,
          title: t(name),
          keys,
          keysOnly: true,
          run: nothing,
        }),
      ),
    ];
    return list;
  }, [t, navigate, search, next, previous]);
  useCommands(commands);
  const [toNext, toPrevious] = commands;
  return (
    <>
      <IconButton
        label={t('previous_failure')}
        keys="k"
        icon={<ChevronUp />}
        disabled={previous === undefined}
        onClick={toPrevious?.run}
      />
      <IconButton
        label={t('next_failure')}
        keys="j"
        icon={<ChevronDown />}
        disabled={next === undefined}
        onClick={toNext?.run}
      />
    </>
  );
}
