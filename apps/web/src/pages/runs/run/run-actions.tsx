import type { HistoryEntry } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { RotateCw, Square, StepForward, Workflow } from 'lucide-react';
import { isOpen, useCancelRun } from '../../../data/runs.ts';
import { Button, buttonStyle } from '../../../ui/actions/button.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { useRunAgain } from '../use-run-again.ts';
import type { RunFailureActions } from './use-run-failure.ts';

interface RunActionsProps {
  run: HistoryEntry;
  /** Chosen on the canvas too. */
  node?: string | undefined;
  /** As the card of the failed node continues the run. */
  resume: RunFailureActions['actions'];
}

export function RunActions({ run, node, resume }: RunActionsProps) {
  const t = useRunsTexts();
  const navigate = useNavigate();
  const cancel = useCancelRun();
  const again = useRunAgain();
  const { workflow_id } = run;
  if (!workflow_id) return null;
  const repeat = async () => {
    const id = await again.one(run);
    if (id) void navigate({ to: '/runs/$id', params: { id } });
  };
  return (
    <div className="flex flex-wrap gap-2">
      {isOpen(run.status) ? (
        <Button
          size="small"
          busy={cancel.isPending}
          onClick={() => cancel.mutate({ id: run.id, workflow_id })}
        >
          <Square aria-hidden />
          {t('stop')}
        </Button>
      ) : (
        <Button size="small" busy={again.busy} onClick={() => void repeat()}>
          <RotateCw aria-hidden />
          {t('run_again')}
        </Button>
      )}
      {run.status === 'error' ? (
        <Button size="small" busy={resume.busy} onClick={() => resume.resume()}>
          <StepForward aria-hidden />
          {t('from_failure')}
        </Button>
      ) : null}
      <Link
        to="/workflows/$id"
        params={{ id: workflow_id }}
        search={{ run: run.id, node }}
        className={buttonStyle({ size: 'small' })}
      >
        <Workflow aria-hidden />
        {t('open_on_canvas')}
      </Link>
    </div>
  );
}
