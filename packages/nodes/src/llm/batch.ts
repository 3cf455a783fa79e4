import {
  isJsonObject,
  isLasting,
  type Json,
  type JsonObject,
  NodeFailure,
  type NodeResult,
  readJsonText,
} from '@millrace/engine';
import { HOUR_MS } from '@millrace/engine/units';
import {
  type BatchItem,
  type BatchState,
  batchResults,
  MAX_BATCH_ITEMS,
  type ModelCaller,
  type ModelService,
  mayHaveBatches,
  readBatch,
  startBatch,
  sumUsage,
  uploadBatch,
} from '@millrace/models';
import type { StepCall } from '../implement.ts';
import { inModelWords, readTargets, type Target } from '../kit/models/ask.ts';
import { guardMessage } from '../kit/models/guardrails.ts';
import { readAnswer } from '../kit/models/json-answer.ts';
import { createModelCaller, watchCalls } from '../kit/models/model-caller.ts';
import { openModelService } from '../kit/models/model-service.ts';
import { type ModelCall, type Prepared, prepare } from '../kit/models/request.ts';
import { refusedParam } from '../kit/refused-param.ts';

/** A young batch is read that often; an old one after a tenth of its age, so that a day of waiting is some hundred reads. */
const SHORTEST_PAUSE_MS = 6_000;
const LONGEST_PAUSE_MS = 300_000;
/** Providers end a batch after 24 hours by themselves. */
const LONGEST_BATCH_MS = 25 * HOUR_MS;

/** The findings of a read of the batch. */
type Seen = {
  /** Null: the provider could not be reached, which says nothing about the batch. */
  state: BatchState | null;
  problem: string | null;
  /** Epoch milliseconds. */
  at_ms: number;
  /** Type of the credential, noted at the start; absent in runs that began before it was noted. */
  provider?: string;
};

/**
 * Asks many questions as one batch of the provider. Its id is recorded, and between two reads the run leaves memory: any process finds
 * the batch again.
 */
export async function answerBatch(call: ModelCall): Promise<NodeResult> {
  const texts = readTexts(call);
  const prepared = await prepare(call, texts[0]);
  const { first } = readTargets(call.params);
  for (const [index, text] of texts.entries()) {
    await guardMessage(call, withText(prepared, text), `guardrails-${index}`);
  }
  const { timeout_ms } = prepared;
  try {
    const file_id = await call.step<string>('upload', 'idempotent', async (step) => {
      const { caller, service } = await connect(call, step, first);
      const { schema: _schema, is_shown: _is_shown, ...request } = prepared;
      return uploadBatch(caller, service, { request: { ...request, model: first.model }, texts });
    });
    const started = await call.step<Seen>('start', 'idempotent', async (step) => {
      const { caller, service, type } = await connect(call, step, first);
      const state = await startBatch(caller, service, { file_id, timeout_ms });
      return { state, problem: null, at_ms: call.services.now(), provider: type };
    });
    const state = await waitForEnd(call, { target: first, started, timeout_ms });
    const items = await call.step<BatchItem[]>('results', 'read', async (step) => {
      const { caller, service } = await connect(call, step, first);
      return batchResults(caller, service, { state, model: first.model, count: texts.length, timeout_ms });
    });
    return { output: await buildOutput(call, prepared, { state, items, model: first.model }) };
  } catch (error) {
    throw error instanceof NodeFailure && error.failure.kind === 'params' ? error : inModelWords(call, error);
  }
}

const withText = (prepared: Prepared, text: string): Prepared => ({
  ...prepared,
  messages: prepared.messages.map((message, at) =>
    at === prepared.messages.length - 1 && message.role === 'user' ? { ...message, text } : message,
  ),
});

/** The questions; a list may be written as JSON, too. */
function readTexts({ params }: ModelCall): string[] {
  const { userMessage } = params;
  const list = typeof userMessage === 'string' ? readJsonText(userMessage) : userMessage;
  if (!Array.isArray(list) || list.length === 0) {
    throw refusedParam('userMessage', 'must be a list with at least one message, such as $input.items');
  }
  if (list.length > MAX_BATCH_ITEMS) {
    throw refusedParam('userMessage', `has ${list.length} messages; a batch takes ${MAX_BATCH_ITEMS}`);
  }
  return list.map((item, index) => {
    const isPlain = typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean';
    if (isPlain && String(item).trim() !== '') return String(item);
    throw refusedParam('userMessage', `needs a text at position ${index + 1}, and has none there`);
  });
}

interface Connected {
  readonly caller: ModelCaller;
  readonly service: ModelService;
  /** Of the credential. */
  readonly type: string;
}

async function connect(call: ModelCall, step: StepCall, { credential_id }: Target): Promise<Connected> {
  const credential = await call.services.credential(credential_id);
  const service = openModelService(credential.type, credential.values);
  if (!mayHaveBatches(service.provider)) {
    throw refusedParam('credentialId', 'must be of OpenAI or a compatible server for batch mode');
  }
  const caller = { ...createModelCaller(call, step), ...watchCalls(call, step)(credential) };
  return { caller, service, type: credential.type };
}

interface Ending {
  readonly target: Target;
  readonly started: Seen;
  readonly timeout_ms: number;
}

/** Reads the batch until it has ended. */
async function waitForEnd(call: ModelCall, { target, started, timeout_ms }: Ending): Promise<BatchState> {
  let { state, at_ms } = started;
  let problem: string | null = null;
  for (let count = 1; ; count++) {
    if (!state) throw new Error('a batch that was started has a state');
    if (state.status === 'completed') return state;
    if (state.status === 'failed') return requireAnswers(state);
    const age_ms = at_ms - started.at_ms;
    if (age_ms > LONGEST_BATCH_MS) throw overdue(state, problem);
    const pause_ms = Math.min(Math.max(SHORTEST_PAUSE_MS, age_ms / 10), LONGEST_PAUSE_MS);
    await call.wait(`wait-${count}`, {
      kind: 'batch',
      due_at: Math.round(at_ms + pause_ms),
      payload: buildProgress(state, { model: target.model, provider: started.provider, at_ms }),
      decisions: [],
    });
    const { id } = state;
    const seen = await call.step<Seen>(`read-${count}`, 'read', (step) =>
      see(call, step, { target, batch_id: id, timeout_ms }),
    );
    ({ at_ms, problem } = seen);
    state = seen.state ?? state;
  }
}

interface Reading {
  readonly target: Target;
  readonly batch_id: string;
  readonly timeout_ms: number;
}

/** A provider that is down for a while has not lost the batch. */
async function see(call: ModelCall, step: StepCall, { target, ...reading }: Reading): Promise<Seen> {
  const { caller, service } = await connect(call, step, target);
  try {
    const state = await readBatch(caller, service, reading);
    return { state, problem: null, at_ms: call.services.now() };
  } catch (error) {
    const mayPass =
      error instanceof NodeFailure &&
      !isLasting(error) &&
      ['upstream', 'timeout'].includes(error.failure.kind);
    if (!mayPass || step.signal.aborted) throw error;
    return { state: null, problem: error.failure.message, at_ms: call.services.now() };
  }
}

/** A batch that was refused, has expired or was cancelled has answers as far as it came. */
function requireAnswers(state: BatchState): BatchState {
  if (state.output_file_id !== null) return state;
  const said = state.problem === null ? '' : `: ${state.problem}`;
  throw new NodeFailure({
    kind: 'upstream',
    message: `the batch ${state.id} ended without answers (${state.raw_status})${said}`,
    final: true,
    details: { batchId: state.id, rawStatus: state.raw_status },
  });
}

function overdue({ id, raw_status }: BatchState, problem: string | null): NodeFailure {
  const last = problem === null ? `its last status was ${raw_status}` : `it could not be read: ${problem}`;
  return new NodeFailure({
    kind: 'timeout',
    message: `the batch ${id} has not ended within ${LONGEST_BATCH_MS / HOUR_MS} hours; ${last}`,
    final: true,
    details: { batchId: id, rawStatus: raw_status },
  });
}

/** The progress that the node shows while it waits, and that the nodes behind `batchStatus` get. */
function buildProgress(
  state: BatchState,
  {
    model,
    provider,
    at_ms,
  }: { readonly model: string; readonly provider: string | undefined; readonly at_ms: number },
): JsonObject {
  return {
    ...summarizeBatch(state),
    batchStatus: state.status,
    ...(provider === undefined ? {} : { provider }),
    model,
    timestamp: new Date(at_ms).toISOString(),
  };
}

const summarizeBatch = ({ id, status, raw_status, total, completed, failed }: BatchState): JsonObject => ({
  batchId: id,
  status,
  rawStatus: raw_status,
  requestCounts: { total, completed, failed },
  total,
  completed,
  failed,
});

interface Ended {
  readonly state: BatchState;
  readonly items: readonly BatchItem[];
  readonly model: string;
}

async function buildOutput(call: ModelCall, prepared: Prepared, ended: Ended): Promise<JsonObject> {
  const { state, items, model } = ended;
  const results: JsonObject[] = [];
  for (const [index, item] of items.entries()) {
    results.push({ index, customId: `item-${index}`, ...(await buildResult(call, prepared, item)) });
  }
  const failed = results.filter(({ status }) => status === 'failed').length;
  const counts = { total: items.length, completed: items.length - failed, failed };
  const usage = sumUsage(items);
  return {
    text: items.flatMap(({ text }) => (text === null ? [] : [text])).join('\n'),
    ...summarizeBatch({ ...state, ...counts }),
    usage: { ...(usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }) },
    results,
    ...(call.params.jsonOutputEnabled
      ? { parsedResults: results.map(({ parsed = null }): Json => parsed) }
      : {}),
    model,
  };
}

async function buildResult(call: ModelCall, prepared: Prepared, item: BatchItem): Promise<JsonObject> {
  const { text, is_cut, status_code, error, usage } = item;
  const result = {
    status: text === null ? 'failed' : 'completed',
    statusCode: status_code,
    text: text ?? '',
    error,
    usage: isJsonObject(usage) ? { ...usage } : null,
  };
  if (text === null || !call.params.jsonOutputEnabled) return result;
  const read = await readAnswer(call, { text, is_cut }, prepared);
  if (read.problem === undefined) return { ...result, parsed: read.value };
  return { ...result, status: 'failed', error: `LLM JSON parse error: ${read.problem}` };
}
