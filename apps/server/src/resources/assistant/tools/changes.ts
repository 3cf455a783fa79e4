import { z } from 'zod';
import { recordAudit } from '../../../database/audit.ts';
import { cancelRun, requireRun } from '../../executions/history/service.ts';
import { setPaused } from '../../triggers/pause.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import { runWorkflow } from './run-workflow.ts';
import { defineTool, type Tool } from './tool.ts';

const cancelTool = defineTool({
  name: 'cancel_run',
  label: 'Cancels the run',
  description: 'Stops a run that has not ended. The user is asked to confirm first.',
  input: z.object({ run_id: z.uuid().describe('Id of a run, from list_runs') }),
  async propose({ ctx }, { run_id }) {
    const { workflow_name } = await requireRun(ctx, run_id);
    return { summary: workflow_name };
  },
  async use({ ctx, services }, { run_id }) {
    const { workflow_id, workflow_name } = await requireRun(ctx, run_id);
    const answer = await cancelRun(ctx, services, { execution_id: run_id, workflow_id });
    await recordAudit(ctx.db, ctx, {
      action: 'workflow.run_cancelled',
      object_kind: 'workflow',
      object_id: workflow_id,
      object_name: workflow_name,
    });
    return answer;
  },
});

const pauseTool = defineTool({
  name: 'set_trigger_paused',
  label: 'Pauses or resumes the trigger',
  description: 'Pauses a trigger, or resumes it. The user is asked to confirm first.',
  input: z.object({
    workflow_id: z.uuid().describe('Id of the workflow'),
    node_id: z.string().min(1).max(255).describe('Id of the trigger node, from list_triggers'),
    is_paused: z.boolean(),
  }),
  async propose({ ctx }, { workflow_id }) {
    const { row } = await requireWorkflow(ctx, workflow_id, 'edit');
    return { summary: row.name };
  },
  async use({ ctx }, { workflow_id, node_id, is_paused }) {
    const { state } = await setPaused(ctx, workflow_id, { node_id, is_paused });
    return { state };
  },
});

/** Tools whose work is only done after the person has confirmed it. */
export const CHANGING_TOOLS: readonly Tool[] = [runWorkflow, cancelTool, pauseTool];
