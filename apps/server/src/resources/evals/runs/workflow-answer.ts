import { answerText } from '@millrace/contracts/portal-text';
import { isJsonObject, type Json, type JsonObject, NodeFailure, printValue } from '@millrace/engine';
import { MINUTE_MS } from '@millrace/engine/units';
import { readJsonAnswer } from '@millrace/models';
import { AppError } from '../../../core/app-error.ts';
import type { RunAnswer, StoredFinal } from '../../../execution/model/run.ts';
import { hiddenRun } from '../../../execution/run/secrets/hidden-run.ts';
import { waitForStoredRun } from '../../../execution/run/wait-for-run.ts';
import { storableText } from '../../../execution/store/encoding/columns.ts';
import type { Services } from '../../../services.ts';
import { isGivenUp, noteExecution, type Turn } from './claims.ts';
import type { ResultRow, RunRow } from './queries.ts';

/** The time that one test case may take; a run that waits for a person would hold the eval run up for ever. */
const LONGEST_MS = 30 * MINUTE_MS;

export interface Asked {
  readonly run: RunRow;
  readonly turn: Turn;
  readonly signal: AbortSignal;
}

/** An answer that has no score yet. */
export type Given = Pick<ResultRow, 'cost_usd' | 'latency_ms' | 'tokens_used'> & { actual_output: string };

const failed = (message: string) => new NodeFailure({ kind: 'upstream', message });

/** The body that a run gets of a test case: its JSON object, or its text as the field `text`. */
function buildBody({ input, input_mode }: Turn): Json {
  if (input_mode === 'text') return { text: input };
  const { value, problem } = readJsonAnswer(input, false);
  if (problem !== undefined) throw failed(`The input of the test case is not JSON: ${problem}`);
  return value;
}

/** The value of the only output, out of the `result` that an Output node wraps it in; several outputs stay by label. */
function unwrapValue({ outputs, shape }: Pick<RunAnswer, 'outputs' | 'shape'>): Json {
  const values = Object.values(outputs);
  const value = shape === 'labels' && values.length === 1 ? values[0] : outputs;
  if (isJsonObject(value) && Object.keys(value).length === 1 && 'result' in value)
    return value['result'] ?? null;
  return value ?? null;
}

/** The text that is compared: the one that a visitor of a portal would read, or JSON where JSON is expected. */
function comparedText(
  answer: Pick<RunAnswer, 'outputs' | 'shape'>,
  { turn, run }: Pick<Asked, 'turn' | 'run'>,
): string {
  if (turn.expected_mode === 'text' && run.scoring_method !== 'schema') return answerText(answer.outputs);
  const value = unwrapValue(answer);
  return printValue(value);
}

/** Queues the run, or finds the one that a process before us has queued for this test case. */
async function startRun(services: Services, { run, turn }: Asked): Promise<string> {
  const { workflows, ownership, admit } = services.execution;
  const { workflow_id, graph_id, started_by_id } = run;
  if (workflow_id === null || graph_id === null) throw failed('The workflow was deleted');
  if (started_by_id === null) throw failed('The account that started the evals was deleted');
  const workflow = await workflows.pinned(workflow_id, graph_id);
  if (!workflow) throw failed('The draft was deleted');
  if (workflow.version.graph.refusal) throw failed(workflow.version.graph.refusal.message);
  const input: JsonObject = { headers: {}, query: {}, body: buildBody(turn) };
  const admitted = await admit.internal({
    workflow,
    principal: { kind: 'eval', run_as: started_by_id },
    input,
  });
  const queued = await hiddenRun(services, admitted, {
    // A trial to alerts and error workflows; but pinned results of nodes would pass or fail in place of what is published.
    options: { test_run: true, without_pins: true },
    idempotency_key: `eval:${turn.id}`,
  });
  const stored = await ownership.enqueue(queued);
  switch (stored.kind) {
    case 'queued':
      return queued.run_id;
    case 'duplicate':
      return stored.existing_run_id;
    case 'cancelled':
    case 'refused':
      throw new AppError('unavailable', 'The run could not be started');
    default:
      return stored satisfies never;
  }
}

/** Returns how the run ended; ends it when it waits for a person, takes too long, or the eval run was cancelled. */
async function waitForEnd(
  { execution, database }: Services,
  { run, signal }: Asked,
  run_id: string,
): Promise<StoredFinal> {
  const late = AbortSignal.timeout(LONGEST_MS);
  const left = AbortSignal.any([signal, late]);
  const awaited = await waitForStoredRun(execution, run_id, { until: 'reviewed', left });
  if (awaited.kind === 'gone') throw failed('The run was deleted');
  if (awaited.kind === 'stored' && awaited.run.final) return awaited.run.final;
  // Where the process stops, another one follows the run.
  if (!signal.aborted || (await isGivenUp(database.sql, run.id)))
    await execution.ownership.requestCancel(run_id);
  signal.throwIfAborted();
  throw failed(
    awaited.kind === 'stored'
      ? 'The run waits for the review of a person, which evals do not have'
      : `The run did not end within ${LONGEST_MS / MINUTE_MS} minutes`,
  );
}

/** The answer of a run of the draft to one test case. */
export async function workflowAnswer(services: Services, asked: Asked): Promise<Given> {
  const run_id = await startRun(services, asked);
  await noteExecution(services.database.sql, asked.turn.id, run_id);
  const final = await waitForEnd(services, asked, run_id);
  if (final.status !== 'success')
    throw failed(`The run ended as ${final.status}: ${final.failure?.message ?? 'without a message'}`);
  return {
    actual_output: storableText(comparedText(final, asked)),
    cost_usd: null,
    latency_ms: Math.round(final.execution_time_ms),
    tokens_used: null,
  };
}
