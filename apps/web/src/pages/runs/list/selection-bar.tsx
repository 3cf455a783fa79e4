import type { HistoryItem } from '@millrace/contracts';
import { useNavigate } from '@tanstack/react-router';
import { Columns2, RotateCw, Square, Trash2 } from 'lucide-react';
import { useCancelRuns, useDeleteChosenRuns } from '../../../data/runs.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { SelectionToolbar } from '../../../ui/layout/selection-toolbar.tsx';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { toast } from '../../../ui/overlays/toast.ts';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { useRunAgain } from '../use-run-again.ts';

interface SelectionBarProps {
  runs: readonly HistoryItem[];
  /** Those of them that can still be stopped. */
  open: readonly HistoryItem[];
  onDone: () => void;
}

/** Actions on the ticked runs. */
export function SelectionBar({ runs, open, onDone }: SelectionBarProps) {
  const t = useRunsTexts();
  const navigate = useNavigate();
  const cancel = useCancelRuns();
  const remove = useDeleteChosenRuns();
  const again = useRunAgain();
  const [first, second] = runs;
  if (!first) return null;
  const stop = async () => {
    const targets = open.flatMap(({ id, workflow_id }) => (workflow_id ? [{ id, workflow_id }] : []));
    const { stopped } = await cancel.mutateAsync(targets);
    toast.done(t('stopped', { count: stopped }));
    onDone();
  };
  const ended = runs.filter((run) => run.workflow_id !== null && !open.includes(run));
  const replay = async () => {
    if (await again.many(ended.map((run) => run.id))) onDone();
  };
  const deleteEnded = async () => {
    const targets = ended.flatMap(({ id, workflow_id }) => (workflow_id ? [{ id, workflow_id }] : []));
    const sure = await confirm({
      title: t('delete_some_title', { count: targets.length }),
      body: t('delete_some_body', { count: targets.length }),
      action: t('delete_some', { count: targets.length }),
    });
    if (!sure) return;
    const deleted = await remove.mutateAsync(targets);
    if (deleted === targets.length) toast.done(t('deleted_some', { count: deleted }));
    else toast.failed(t('deleted_partly', { deleted, count: targets.length }));
    onDone();
  };
  return (
    <SelectionToolbar count={runs.length} onClear={onDone}>
      {second && runs.length === 2 ? (
        <Button
          size="small"
          onClick={() =>
            void navigate({ to: '/runs/$id/compare/$other', params: { id: second.id, other: first.id } })
          }
        >
          <Columns2 aria-hidden />
          {t('compare')}
        </Button>
      ) : null}
      {ended.length > 0 ? (
        <Button size="small" onClick={() => void replay()} busy={again.busy}>
          <RotateCw aria-hidden />
          {t('run_again')}
        </Button>
      ) : null}
      {open.length > 0 ? (
        <Button size="small" onClick={() => void stop()} busy={cancel.isPending}>
          <Square aria-hidden />
          {t('stop_some', { count: open.length })}
        </Button>
      ) : null}
      {ended.length > 0 ? (
        <Button size="small" onClick={() => void deleteEnded()} busy={remove.isPending}>
          <Trash2 aria-hidden />
          {t('delete_some', { count: ended.length })}
        </Button>
      ) : null}
    </SelectionToolbar>
  );
}
