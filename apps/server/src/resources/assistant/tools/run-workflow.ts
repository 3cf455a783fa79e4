import { isJsonObject, type JsonObject, readTextAt } from '@millrace/engine';
import { z } from 'zod';
import { AppError, conflict, notFound } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import type { AdmittedRun, CallRequest } from '../../../execution/admission/admission.ts';
import type { Called, CalledRun } from '../../../execution/admission/call.ts';
import { unlessLeft } from '../../../execution/admission/client-left.ts';
import { describeOverLimit } from '../../../execution/admission/rate-limit.ts';
import type { RunAnswer } from '../../../execution/model/run.ts';
import { TRIGGER_SOURCES } from '../../../execution/model/trigger-source.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import { takeImages } from '../conversation/data.ts';
import { defineTool, type ToolWorld } from './tool.ts';

const NAME = 'run_workflow';

type Started = Pick<RunAnswer, 'run_id' | 'outputs'> & { readonly status: RunAnswer['status'] | 'cached' };

/** Admits as every other call of the person does: limits, cache and pinned versions are the same. */
async function call(
  { ctx, services, left }: ToolWorld,
  { workflow_id, input, key }: { workflow_id: string; input: JsonObject; key: string },
): Promise<Called> {
  await catchUp(services);
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  const workflow = await services.execution.workflows.published(row.id);
  if (!workflow) throw notFound('Workflow');
  const request: CallRequest = {
    workflow,
    principal: { kind: 'user', user_id: ctx.actor.user_id, has_access: true },
    input: { headers: {}, query: {}, body: input },
    client: {
      ip: ctx.client_ip,
      trigger_source: TRIGGER_SOURCES.assistant,
      // The same confirmation starts one run, also when it reaches two processes at once.
      idempotency_key: key,
    },
  };
  const prepare = (admitted: AdmittedRun) => {
    if (!admitted.slot) return admitted;
    throw new AppError('bad_request', 'The workflow begins with a file; run it from its own page');
  };
  return services.execution.call(request, { left: () => left, prepare });
}

/** Waits for the answer. A person who leaves ends the run; the end of the turn's time does not. */
async function awaitAnswer({ left, signal }: ToolWorld, { handle, answer }: CalledRun): Promise<RunAnswer> {
  if (!handle) throw conflict('This run was started before; look it up in the history');
  try {
    return await unlessLeft(answer(), signal);
  } catch (error) {
    if (left.aborted) handle.cancel();
    throw signal.aborted ? signal.reason : error;
  }
}

async function awaitStart(world: ToolWorld, called: Called): Promise<Started> {
  switch (called.kind) {
    case 'rate_limited':
      throw new AppError('rate_limited', describeOverLimit(called));
    case 'cached':
      return { run_id: called.run_id, status: 'cached', outputs: called.answer.outputs };
    case 'run':
      return awaitAnswer(world, called);
    default:
      return called satisfies never;
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
    const called = await call(world, { workflow_id, input: input as JsonObject, key });
    const { run_id, status, outputs } = await awaitStart(world, called);
    const reviews = status === 'pending' ? reviewsIn(outputs) : [];
    for (const review of reviews) world.emit({ type: 'workflow_pending', ...review });
    const { value, images } = takeImages(outputs);
    world.emit({
      type: 'tool_output',
      tool: NAME,
      images,
      run_id,
      workflow_id: called.workflow.settings.id,
      status,
    });
    return { status, run_id, outputs: value };
  },
});
