import { isJsonObject, type JsonObject, readTextAt } from '@millrace/engine';
import { z } from 'zod';
import { AppError, notFound } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import type { Admitted, AdmittedRun } from '../../../execution/admission/admission.ts';
import { runRefusal } from '../../../execution/admission/start/start-admitted.ts';
import type { RunAnswer } from '../../../execution/model/run.ts';
import { TRIGGER_SOURCES } from '../../../execution/model/trigger-source.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import { takeImages } from '../conversation/data.ts';
import { defineTool, type ToolWorld } from './tool.ts';

const NAME = 'run_workflow';

interface Started {
  readonly workflow_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly outputs: JsonObject;
}

/** Admits as every other call of the person does: limits, cache and pinned versions are the same. */
async function admit(
  { ctx, services }: ToolWorld,
  { workflow_id, input, key }: { workflow_id: string; input: JsonObject; key: string },
): Promise<Admitted> {
  await catchUp(services);
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  const workflow = await services.execution.workflows.published(row.id);
  if (!workflow) throw notFound('Workflow');
  return services.execution.admit.call({
    workflow,
    principal: { kind: 'user', user_id: ctx.actor.user_id, has_access: true },
    input: { headers: {}, query: {}, body: input },
    client: {
      ip: ctx.client_ip,
      trigger_source: TRIGGER_SOURCES.assistant,
      // The same confirmation starts one run, also when it reaches two processes at once.
      idempotency_key: key,
    },
  });
}

/** Waits for the answer. A person who leaves ends the run; the end of the turn's time does not. */
async function answered(world: ToolWorld, admitted: AdmittedRun): Promise<RunAnswer> {
  const { start } = world.services.execution;
  const left = () => world.left;
  if (!admitted.idempotency) return (await start.answer(admitted, left)).answer;
  const { handle } = await start.keyed(admitted, left, admitted.idempotency);
  if (!handle) throw new AppError('conflict', 'This run was started before; look it up in the history');
  const cancel = () => handle.cancel();
  if (world.left.aborted) cancel();
  else world.left.addEventListener('abort', cancel, { once: true });
  // Everything that happens behind an early answer is in the history.
  handle.finished.catch(() => undefined);
  try {
    return await Promise.race([handle.answered, ended(world)]);
  } finally {
    world.left.removeEventListener('abort', cancel);
  }
}

function ended({ signal }: ToolWorld): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

async function awaitStart(world: ToolWorld, admitted: Admitted): Promise<Started> {
  const workflow_id = admitted.workflow.settings.id;
  switch (admitted.kind) {
    case 'rate_limited': {
      const seconds = admitted.limit?.reset_seconds ?? 1;
      throw new AppError(
        'rate_limited',
        `The rate limit of this workflow is exceeded; try again in ${seconds} seconds`,
      );
    }
    case 'cached':
      return { workflow_id, run_id: admitted.run_id, status: 'cached', outputs: admitted.answer.outputs };
    case 'run': {
      if (admitted.slot)
        throw new AppError('bad_request', 'The workflow begins with a file; run it from its own page');
      const { run_id, status, outputs } = await answered(world, admitted).catch((error: unknown) => {
        throw runRefusal(error);
      });
      return { workflow_id, run_id, status, outputs };
    }
    default:
      return admitted satisfies never;
  }
}

/** Reviews that the run waits for; each has an address at which a person decides. */
function reviewsIn(outputs: JsonObject) {
  return Object.values(outputs).flatMap((output) => {
    if (!isJsonObject(output) || readTextAt(output, 'reviewUrl') === '') return [];
    return [
      {
        summary: readTextAt(output, 'summary'),
        draft_text: readTextAt(output, 'draftText'),
        review_url: readTextAt(output, 'reviewUrl'),
      },
    ];
  });
}

export const runWorkflow = defineTool({
  name: NAME,
  label: 'Runs the workflow',
  description:
    'Runs the published version of a workflow and waits for its outputs. The user is asked to confirm first; call it directly, without asking in words.',
  input: z.object({
    workflow_id: z.uuid().describe('Id of the workflow, from list_workflows'),
    input: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Values by input field, as explain_workflow lists them'),
  }),
  async propose({ ctx }, { workflow_id }) {
    const { row } = await requireWorkflow(ctx, workflow_id, 'read');
    return { summary: row.name };
  },
  async use(world, { workflow_id, input }, key) {
    // Guarantee: arguments are parsed JSON.
    const admitted = await admit(world, { workflow_id, input: input as JsonObject, key });
    const started = await awaitStart(world, admitted);
    const { run_id, status } = started;
    const reviews = status === 'pending' ? reviewsIn(started.outputs) : [];
    for (const review of reviews) world.emit({ type: 'workflow_pending', ...review });
    const { value, images } = takeImages(started.outputs);
    world.emit({ type: 'tool_output', tool: NAME, images, run_id, workflow_id: started.workflow_id, status });
    return { status, run_id, outputs: value };
  },
});
