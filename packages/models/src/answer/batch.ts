import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { TokenUsage } from '../model-call.ts';
import type { ModelCaller, ModelProvider, ModelService } from '../model-service.ts';
import { noted, usageIn } from '../note-call.ts';
import { guardedFetch } from '../provider/guarded-fetch.ts';
import { type CompletionRequest, chatBody } from './complete.ts';
import { findWords, objectIn } from './refusal.ts';
import { retrying } from './retry.ts';

/** A batch as its provider reports it. */
export type BatchState = {
  id: string;
  /** `pending`: not begun. `failed`: it has ended without being complete; some of its items may have answers. */
  status: 'pending' | 'processing' | 'completed' | 'failed';
  /** In the words of the provider. */
  raw_status: string;
  total: number;
  completed: number;
  failed: number;
  output_file_id: string | null;
  error_file_id: string | null;
  /** Why the provider refused it as a whole. */
  problem: string | null;
};

export type BatchItem = {
  /** Null: the item has failed. */
  text: string | null;
  /** The answer ended because it reached its limit of tokens. */
  is_cut: boolean;
  /** Null: the provider has not asked the model. */
  status_code: number | null;
  error: string | null;
  usage: { [key in keyof TokenUsage]: number } | null;
};

export interface BatchQuestions {
  /** Everything but the last text; that of its last message is replaced by each of the texts. */
  readonly request: Omit<CompletionRequest, 'onText' | 'onRestart'>;
  readonly texts: readonly string[];
}

/** The limits of one batch (platform.openai.com/docs/guides/batch). */
export const MAX_BATCH_ITEMS = 50_000;

/** Whether a provider has OpenAI's batches, or may have them: a compatible server says so when it is asked. */
export const mayHaveBatches = (provider: ModelProvider): boolean =>
  provider === 'openai' || provider === 'compatible';

const ENDPOINT = '/v1/chat/completions';
const STATUSES: Readonly<Record<string, BatchState['status']>> = {
  validating: 'pending',
  in_progress: 'processing',
  finalizing: 'processing',
  cancelling: 'processing',
  completed: 'completed',
  failed: 'failed',
  expired: 'failed',
  cancelled: 'failed',
};

const itemId = (index: number): string => `item-${index}`;

/**
 * Uploads the questions of a batch (platform.openai.com/docs/api-reference/files/create), which costs nothing until a batch uses
 * them.
 *
 * @returns id of the file
 */
export async function uploadBatch(
  caller: ModelCaller,
  service: ModelService,
  { request, texts }: BatchQuestions,
): Promise<string> {
  await caller.beforeCall?.({ request_type: 'batch', provider: service.provider, model: request.model });
  const bodyFor = await createBodyBuilder(caller, service, request);
  const lines = texts.map((text, index) =>
    JSON.stringify({
      custom_id: itemId(index),
      method: 'POST',
      url: ENDPOINT,
      body: caller.mask(bodyFor(text)),
    }),
  );
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([`${lines.join('\n')}\n`], { type: 'application/jsonl' }), 'batch.jsonl');
  const answer = await asked(caller, service, {
    path: '/files',
    init: { method: 'POST', body: form },
    timeout_ms: request.timeout_ms,
  });
  return idIn(service, answer);
}

/** The body of one question, made once: questions differ in one text. */
async function createBodyBuilder(
  caller: ModelCaller,
  service: ModelService,
  request: BatchQuestions['request'],
): Promise<(text: string) => JsonObject> {
  const body = { ...(await chatBody(caller, service, request)), ...request.extra_body };
  const { messages } = body;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!Array.isArray(messages) || !isJsonObject(last)) return () => body;
  const { content } = last;
  return (text) => ({
    ...body,
    messages: [...messages.slice(0, -1), { ...last, content: withText(content, text) }],
  });
}

/** Content is a text, or a list whose first part is the text and the others are images. */
const withText = (content: Json | undefined, text: string): Json =>
  Array.isArray(content) ? [{ type: 'text', text }, ...content.slice(1)] : text;

interface StartRequest {
  /** That `uploadBatch` returned. */
  readonly file_id: string;
  readonly timeout_ms: number;
}

/** Starts the batch of a file, or finds the one that was started with it: a batch is paid once, however often this is called. */
export async function startBatch(
  caller: ModelCaller,
  service: ModelService,
  { file_id, timeout_ms }: StartRequest,
): Promise<BatchState> {
  const known = await asked(caller, service, { path: '/batches?limit=100', timeout_ms });
  const list = Array.isArray(known['data']) ? known['data'] : [];
  const found = list.find((batch) => isJsonObject(batch) && batch['input_file_id'] === file_id);
  if (isJsonObject(found)) return stateIn(service, found);
  const body = { input_file_id: file_id, endpoint: ENDPOINT, completion_window: '24h' };
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return stateIn(service, await asked(caller, service, { path: '/batches', init, timeout_ms }));
}

export async function readBatch(
  caller: ModelCaller,
  service: ModelService,
  { batch_id, timeout_ms }: { readonly batch_id: string; readonly timeout_ms: number },
): Promise<BatchState> {
  const path = `/batches/${encodeURIComponent(batch_id)}`;
  return stateIn(service, await asked(caller, service, { path, timeout_ms }));
}

interface ResultsRequest {
  readonly state: BatchState;
  readonly model: string;
  readonly count: number;
  readonly timeout_ms: number;
}

/** The outcome of each item, in the order of the texts. */
export function batchResults(
  caller: ModelCaller,
  service: ModelService,
  { state, model, count, timeout_ms }: ResultsRequest,
): Promise<BatchItem[]> {
  return noted(
    // They are paid for: what is asked for permission is the start of the batch.
    { ...caller, beforeCall: undefined },
    {
      request_type: 'batch',
      provider: service.provider,
      model,
      request: { batch_id: state.id, items: count },
    },
    async () => {
      const items: BatchItem[] = Array.from({ length: count }, () => UNANSWERED);
      for (const file_id of [state.output_file_id, state.error_file_id]) {
        if (file_id === null) continue;
        const path = `/files/${encodeURIComponent(file_id)}/content`;
        const text = await textAt(caller, service, { path, timeout_ms });
        for (const line of text.split('\n')) takeLine(items, line);
      }
      return items;
    },
    (items) => ({
      response: { completed: items.filter(({ text }) => text !== null).length, total: count },
      usage: sumUsage(items),
    }),
  );
}

const UNANSWERED: BatchItem = {
  text: null,
  is_cut: false,
  status_code: null,
  error: 'The provider has no answer to this item',
  usage: null,
};

/** Tokens of all items; null when the provider counts none. */
export function sumUsage(items: readonly BatchItem[]): TokenUsage | null {
  const sum = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  let cached_tokens = 0;
  for (const { usage } of items) {
    sum.prompt_tokens += usage?.prompt_tokens ?? 0;
    sum.completion_tokens += usage?.completion_tokens ?? 0;
    sum.total_tokens += usage?.total_tokens ?? 0;
    cached_tokens += usage?.cached_tokens ?? 0;
  }
  if (sum.total_tokens === 0) return null;
  return cached_tokens === 0 ? sum : { ...sum, cached_tokens };
}

function takeLine(items: BatchItem[], line: string): void {
  const entry = objectIn(line);
  const { custom_id, response, error } = entry ?? {};
  const [, digits] = typeof custom_id === 'string' ? (/^item-(\d+)$/.exec(custom_id) ?? []) : [];
  const index = Number(digits);
  if (items[index] === undefined) return;
  const { status_code, body } = isJsonObject(response) ? response : {};
  const said = isJsonObject(body) ? body : {};
  const code = typeof status_code === 'number' ? status_code : null;
  const [choice] = Array.isArray(said['choices']) ? said['choices'] : [];
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  const text = isJsonObject(message) ? message['content'] : undefined;
  const usage = usageIn(said);
  const is_cut = isJsonObject(choice) && choice['finish_reason'] === 'length';
  items[index] =
    typeof text === 'string' && text !== '' && (code === null || code < 300)
      ? { text, is_cut, status_code: code, error: null, usage }
      : { ...UNANSWERED, status_code: code, error: problemIn(error, said), usage };
}

const problemIn = (error: Json | undefined, body: JsonObject): string =>
  findWords(error) ?? findWords(body['error']) ?? 'The answer of the model is empty';

function stateIn(service: ModelService, batch: JsonObject): BatchState {
  const { status, request_counts, output_file_id, error_file_id, errors } = batch;
  const counts = isJsonObject(request_counts) ? request_counts : {};
  const count = (name: string): number => (typeof counts[name] === 'number' ? counts[name] : 0);
  const raw_status = typeof status === 'string' ? status : 'unknown';
  const problems = isJsonObject(errors) ? errors['data'] : undefined;
  return {
    id: idIn(service, batch),
    // Words that are not known yet are of a batch that has not ended.
    status: STATUSES[raw_status] ?? 'processing',
    raw_status,
    total: count('total'),
    completed: count('completed'),
    failed: count('failed'),
    output_file_id: typeof output_file_id === 'string' ? output_file_id : null,
    error_file_id: typeof error_file_id === 'string' ? error_file_id : null,
    problem: findWords(problems) ?? null,
  };
}

function idIn({ title }: ModelService, answer: JsonObject): string {
  const { id } = answer;
  if (typeof id === 'string' && id !== '') return id;
  throw new NodeFailure({
    kind: 'upstream',
    message: `${title} did not answer as the API for batches does; check the address`,
    final: true,
  });
}

interface Exchange {
  readonly path: string;
  readonly init?: RequestInit;
  readonly timeout_ms: number;
}

async function asked(caller: ModelCaller, service: ModelService, exchange: Exchange): Promise<JsonObject> {
  return objectIn(await textAt(caller, service, exchange)) ?? {};
}

async function textAt(
  caller: ModelCaller,
  service: ModelService,
  { path, init, timeout_ms }: Exchange,
): Promise<string> {
  const fetch = guardedFetch(caller, service, { timeout_ms });
  const { base_url } = service.service;
  return retrying(caller, service, async () => (await fetch(`${base_url}${path}`, init)).text());
}
