import { z } from 'zod';
import { readBudgetUse, readOwnBudgetUse } from './budget-use.ts';
import { definePage, idParams, page, timestamp, uuid } from './common.ts';
import { readCostEstimate } from './cost-estimate.ts';
import { endpoint } from './endpoint.ts';
import { storedText } from './text.ts';
import { readTraceCosts } from './trace-costs.ts';

const tag = 'Traces';

/** The caller of the model. */
export const traceSource = z.enum([
  'workflow',
  'dashboard_chat',
  'workflow_assistant',
  'skill_builder',
  'transcription',
  'board',
  'vector_store',
  'eval',
]);
export type TraceSource = z.infer<typeof traceSource>;

export const traceRequestType = z.enum(['batch', 'chat', 'decision', 'embedding', 'image', 'moderation']);
export type TraceRequestType = z.infer<typeof traceRequestType>;

const tokens = z.int().nullable().describe('Null when the provider did not say.');

const traceShape = z.object({
  id: uuid,
  created_at: timestamp.describe('When the call began.'),
  source: traceSource,
  request_type: traceRequestType,
  provider: z.string().nullable(),
  model: z.string(),
  /** Null when it was deleted since; the name is that of the time of the call. */
  credential_id: uuid.nullable(),
  credential_name: z.string().nullable(),
  workflow_id: uuid.nullable(),
  workflow_name: z.string().nullable(),
  /** Run that made the call. It may have been removed from history since. */
  run_id: uuid.nullable(),
  node_id: z.string().nullable(),
  node_label: z.string().nullable(),
  step: z.string().nullable().describe('Step of the node that made the call.'),
  status: z.enum(['success', 'error']),
  elapsed_ms: z.int().describe('Until the last byte of the answer, with repetitions and their pauses.'),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: tokens,
  cached_tokens: z
    .int()
    .nullable()
    .describe('Those of the prompt that the provider had in its cache; null when it is not known.'),
  cost_usd: z.number().nullable().describe('By list price; null where no price is known.'),
  is_priced: z.boolean(),
});

export const traceItem = traceShape.meta({ id: 'TraceItem' });
export type TraceItem = z.infer<typeof traceItem>;

export const trace = traceShape
  .extend({
    request: z.unknown().describe('What the model was asked. Values of credentials are masked.'),
    response: z.unknown().describe('What it answered; null when the call failed.'),
    error: z.string().nullable(),
    is_cut: z
      .boolean()
      .describe('Request or response were longer than a trace keeps; images are never kept.'),
  })
  .meta({ id: 'Trace' });
export type Trace = z.infer<typeof trace>;

const filters = page.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  credential_id: uuid.optional(),
  workflow_id: uuid.optional(),
  run_id: uuid.optional(),
  source: traceSource.optional(),
  status: z.enum(['success', 'error']).optional(),
  search: storedText(200)
    .trim()
    .optional()
    .describe(
      'Text in model, provider, names, error, request or response, in any case. Looks at the newest 1,000 traces that the other filters leave.',
    ),
  order: z.enum(['desc', 'asc']).default('desc').describe('By time; `desc`: newest first.'),
});
export type TraceFilters = z.output<typeof filters>;

export const traceList = definePage(traceItem).meta({ id: 'TraceList' });
export type TraceList = z.infer<typeof traceList>;

export const listTraces = endpoint({
  id: 'listTraces',
  method: 'GET',
  path: '/api/traces',
  tag,
  summary:
    'Calls of models that your runs, assistants, boards, vector stores and evals have made, without request and response',
  auth: 'session',
  query: filters,
  response: traceList,
});

export const readTrace = endpoint({
  id: 'readTrace',
  method: 'GET',
  path: '/api/traces/{id}',
  tag,
  summary: 'A call of a model with its request and its response',
  auth: 'session',
  params: idParams,
  response: trace,
  errors: ['not_found'],
});

export const deleteTraces = endpoint({
  id: 'deleteTraces',
  method: 'DELETE',
  path: '/api/traces',
  tag,
  summary: 'Delete all of your traces; runs keep their history',
  auth: 'session',
});

export const traceEndpoints = [
  listTraces,
  readTraceCosts,
  readCostEstimate,
  readBudgetUse,
  readOwnBudgetUse,
  readTrace,
  deleteTraces,
] as const;
