import { z } from 'zod';
import { conflict } from '../../../core/app-error.ts';
import { waitForStoredRun } from '../../../execution/run/wait-for-run.ts';
import { cancelRun, listHistory, requireRun } from '../../executions/history/service.ts';
import { replay } from '../../executions/replay/service.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import { readRunTool } from './read.ts';
import { defineTool, type Tool, type ToolWorld } from './tool.ts';

/** Runs of repaired drafts, for each run that failed. */
const MOST_TRIES = 3;
const TRIES_SECONDS = 24 * 60 * 60;
/** A try of a try of a run, and so on, is one of that run. */
const MOST_ANCESTORS = 20;

const failedRunTool = (workflow_id: string): Tool =>
  defineTool({
    name: 'find_failed_run',
    label: 'Looks for the failed run',
    description:
      'The newest failed run of the workflow on the canvas: its input, and the result or error of each node. Read it when the user asks why the workflow fails, or asks to repair it.',
    input: z.object({}),
    async use(world) {
      const newest = { status: 'error', limit: 1, offset: 0 } as const;
      const { items } = await listHistory(world.ctx, workflow_id, newest);
      const [run] = items;
      return run ? readRunTool.use(world, { run_id: run.id }, '') : { found: false };
    },
  });

async function resolveFirstRun({ ctx }: ToolWorld, run_id: string, workflow_id: string): Promise<string> {
  let run = await requireRun(ctx, run_id, workflow_id);
  for (let step = 0; step < MOST_ANCESTORS && run.replay_of !== null; step++)
    run = await requireRun(ctx, run.replay_of, workflow_id);
  return run.id;
}

async function requireTry(world: ToolWorld, run_id: string): Promise<void> {
  const { ctx, services } = world;
  const key = `assistant:tries:${ctx.actor.user_id}:${run_id}`;
  const { allowed } = await services.shared_store.countInWindow(key, MOST_TRIES, TRIES_SECONDS);
  if (!allowed)
    throw conflict(
      `Drafts were run ${MOST_TRIES} times for this failed run, which is the most. Tell the user what is still wrong`,
    );
}

/**
 * Waits until the run has ended, or itself waits for a person or a callback. A person who stops the answer stops the run; the
 * end of the turn's time does not.
 */
async function waitForEnd(
  { ctx, services, left, signal }: ToolWorld,
  run: { workflow_id: string; execution_id: string },
): Promise<string> {
  const until_end = { until: 'finished', left: signal } as const;
  const awaited = await waitForStoredRun(services.execution, run.execution_id, until_end);
  if (awaited.kind !== 'left') return (await requireRun(ctx, run.execution_id)).status;
  if (left.aborted) await cancelRun(ctx, services, run);
  throw signal.reason;
}

const tryDraftTool = (workflow_id: string): Tool =>
  defineTool({
    name: 'try_draft',
    label: 'Runs the draft',
    description:
      'Runs the draft with the recorded input of a failed run, and answers with what each node did. Call it directly after propose_workflow: the user accepts the change first, then confirms the run.',
    input: z.object({
      run_id: z.uuid().describe('Id of the failed run, from find_failed_run'),
      from: z
        .enum(['failed', 'start'])
        .default('failed')
        .describe(
          'failed: results before the failed node are kept, so that nothing is sent twice. start: everything runs again; for a change before the failed node',
        ),
    }),
    async propose({ ctx }, { run_id }) {
      const { row } = await requireWorkflow(ctx, workflow_id, 'edit');
      await requireRun(ctx, run_id, workflow_id);
      return { summary: row.name };
    },
    async use(world, { run_id, from }, idempotency_key) {
      const { ctx, services } = world;
      await requireWorkflow(ctx, workflow_id, 'edit');
      await requireTry(world, await resolveFirstRun(world, run_id, workflow_id));
      const { execution_id } = await replay(ctx, services, {
        params: { id: workflow_id, execution_id: run_id },
        body: { from, version: 'draft', only: false, earlier_runs: false },
        idempotency_key,
      });
      const status = await waitForEnd(world, { workflow_id, execution_id });
      world.emit({
        type: 'tool_output',
        tool: 'try_draft',
        images: [],
        run_id: execution_id,
        workflow_id,
        status,
      });
      return readRunTool.use(world, { run_id: execution_id }, '');
    },
  });

/** Reads why the workflow failed. */
export const failureTools = (workflow_id: string | undefined): readonly Tool[] =>
  workflow_id === undefined ? [] : [failedRunTool(workflow_id)];

/** Runs what was repaired. */
export const repairTools = (workflow_id: string | undefined): readonly Tool[] =>
  workflow_id === undefined ? [] : [tryDraftTool(workflow_id)];
