import type { WorkflowSummary } from '@millrace/contracts';
import { RotateCcw } from 'lucide-react';
import { Button } from '../../../ui/actions/button.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { useWorkflowMoves } from '../use-workflow-actions.tsx';

/** The way back out of the deletion area, in sight where everything waits for its end. */
export function RestoreButton({ workflow }: { workflow: WorkflowSummary }) {
  const t = useHomeTexts();
  const moves = useWorkflowMoves();
  return (
    <Button size="small" onClick={() => moves.restore(workflow)}>
      <RotateCcw aria-hidden />
      {t('restore')}
    </Button>
  );
}
