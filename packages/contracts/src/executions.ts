import { z } from 'zod';
import { idParams, page, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { lineage, replayExecution, TRIGGER_SOURCE_MAX } from './replays.ts';
import { storedText } from './text.ts';

/** Statuses of a run (§3.1) and those that history shows beside them. */
export const runStatus = z.enum([
  'success',
  'error',
  'cached',
  'rate_limited',
  'pending',
  'cancelled',
  'running',
  'queued',
]);
export type RunStatus = z.infer<typeof runStatus>;

/** One row of a run: what a node got out of one execution. Loops, retries and repeats have rows of their own. */
export const nodeResult = z
  .object({
    node_id: z.string(),
    node_label: z.string(),
    node_type: z.string(),
    status: z.enum(['success', 'error', 'skipped', 'pending']),
    output: z.unknown(),
    execution_time_ms: z.number(),
    error: z.string().nullable(),
    metadata: z
      .record(z.string(), z.unknown())
      .describe(
        'Times, round of loops, steps, facts of the node; `field`: the parameter that a failure is about; `cancelled`: the node did not fail, its run ended first.',
      ),
  })
  .meta({ id: 'NodeResult' });
export type NodeResult = z.infer<typeof nodeResult>;

/** §2.3. */
export const executeResponse = z
  .object({
    workflow_id: uuid,
    status: z.enum(['success', 'error', 'cached', 'rate_limited', 'pending']),
    outputs: z.record(z.string(), z.unknown()),
    execution_time_ms: z.int(),
  })
  .meta({ id: 'ExecuteResponse' });
export type ExecuteResponse = z.infer<typeof executeResponse>;

const runType = z.enum(['workflow', 'dashboard_chat', 'workflow_assistant']);

/** Set while a run waits for a place of its workflow (`concurrency_limit`). */
const waitsBehind = z
  .int()
  .nullable()
  .describe('Runs that get a place of the workflow before it, counted up to 1,000; null: it waits for none.');

/** Which state of the workflow a run was of. */
const ranVersion = {
  /** Null for a draft, and for a version that was deleted since. */
  version_number: z.int().nullable(),
  is_draft: z.boolean(),
};

const unresolvedReferences = z
  .int()
  .describe(
    'How many references in texts had no value. `metadata.unresolved_references` of the nodes in `node_results` names them.',
  );

export const historyItem = z
  .object({
    id: uuid,
    workflow_id: uuid.nullable(),
    workflow_name: z.string(),
    run_type: runType,
    started_at: timestamp,
    status: runStatus,
    execution_time_ms: z.int().nullable(),
    trigger_source: z.string().nullable(),
    recovered: z.boolean(),
    unresolved_references: unresolvedReferences,
    waits_behind: waitsBehind,
    ...ranVersion,
    ...lineage,
  })
  .meta({ id: 'HistoryItem' });
export type HistoryItem = z.infer<typeof historyItem>;

export const historyList = z
  .object({
    /** Exact up to 10,000 matches. */
    total: z.int(),
    total_is_capped: z.boolean(),
    items: z.array(historyItem),
    /** Give it as `before` for the next page; null on the last one. */
    next_before: uuid.nullable(),
    not_searched: z
      .array(z.enum(['older_runs', 'large_values']))
      .describe(
        'What was not looked through: for a search, a trigger node, the status `success` and the source `API`, runs before the newest 20,000 that the other filters leave; for a search, values longer than 16 KB, which some of the runs have.',
      ),
  })
  .meta({ id: 'HistoryList' });
export type HistoryList = z.infer<typeof historyList>;

export const historyEntry = z
  .object({
    id: uuid,
    workflow_id: uuid.nullable(),
    workflow_name: z.string(),
    run_type: runType,
    inputs: z.unknown(),
    outputs: z.unknown(),
    node_results: z.array(nodeResult),
    status: runStatus,
    execution_time_ms: z.int().nullable(),
    started_at: timestamp,
    trigger_source: z.string().nullable(),
    until_node_id: z
      .string()
      .nullable()
      .describe('The node that a test run was asked to end at; null for a run of the whole workflow.'),
    recovered: z.boolean(),
    unresolved_references: unresolvedReferences,
    waits_behind: waitsBehind,
    ...ranVersion,
    ...lineage,
    called_by: z
      .object({ id: uuid, workflow_name: z.string() })
      .nullable()
      .describe(
        'The run that called this one as a sub-workflow; null for other runs, and where that one is not visible.',
      ),
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntry = z.infer<typeof historyEntry>;

export const activeExecution = z
  .object({
    execution_id: uuid,
    workflow_id: uuid,
    workflow_name: z.string(),
    started_at: timestamp,
    status: z.enum(['running', 'pending', 'queued']),
    /** The kind of event that it waits for. */
    pending_kind: z.enum(['review', 'timer', 'callback', 'upload', 'batch', 'runner', 'child']).nullable(),
    waits_behind: waitsBehind,
    trigger_source: z.string().nullable(),
    inputs: z.unknown(),
    running_node_ids: z.array(z.string()),
    node_results: z.array(nodeResult),
  })
  .meta({ id: 'ActiveExecution' });
export type ActiveExecution = z.infer<typeof activeExecution>;

const tag = 'Executions';
const workflowParams = z.object({ workflow_id: uuid });
const executionParams = idParams.extend({ execution_id: uuid });
const entryParams = idParams.extend({ entry_id: uuid });

export const historyFilters = page.extend({
  /** Entry id of the last item of the page before; makes deep pages as fast as the first. */
  before: uuid.optional(),
  search: storedText(200)
    .trim()
    .optional()
    .describe(
      'Looks at the newest 20,000 runs that the other filters leave, and not at values longer than 16 KB. `not_searched` in the answer says whether that left anything out.',
    ),
  status: runStatus.optional(),
  trigger_source: storedText(TRIGGER_SOURCE_MAX).optional(),
  trigger_node_id: storedText(255)
    .optional()
    .describe('Only runs that this trigger node started, of the newest 20,000.'),
  has_unresolved_references: queryBoolean
    .optional()
    .describe('`true`: only runs with unresolved references.'),
  replay_of: uuid.optional().describe('Only the replays of this run.'),
  called_by: uuid
    .optional()
    .describe('Only the runs that this run called as sub-workflows, also without waiting for them.'),
  from: timestamp.optional(),
  to: timestamp.optional(),
});
export type HistoryFilters = z.output<typeof historyFilters>;

const callQuery = z.object({
  test_run: z.string().optional(),
  trigger_source: z.string().optional(),
  cancel_on_disconnect: z.string().optional(),
  /** Number the frames (`id:`), so that a dropped stream can be picked up behind the last one. */
  event_ids: z.string().optional(),
  /** Also frames that say what a node does or waits for (`node_progress`, `node_pending`). */
  node_progress: z.string().optional(),
  /** Also the texts that models write, piece by piece (`node_token`). */
  tokens: z.string().optional(),
});

export const executeWorkflow = endpoint({
  id: 'executeWorkflow',
  method: 'POST',
  also_methods: ['GET', 'PUT', 'DELETE'],
  path: '/api/workflows/{workflow_id}/execute',
  tag,
  summary:
    'Run the published version of a workflow and wait for its outputs; responds to the HTTP method configured for the workflow. With the header `X-Run-Draft: true`, users with access run the draft. Together with `X-Run-Until: <percent-encoded node id>`, the run ends at that node, and only the nodes leading to it are run, loops with their whole body',
  auth: 'own',
  kind: 'raw',
  params: workflowParams,
  query: callQuery.omit({ cancel_on_disconnect: true, event_ids: true, node_progress: true, tokens: true }),
  body: z.unknown(),
  response: executeResponse,
  errors: [
    'bad_request',
    'unauthenticated',
    'not_found',
    'method_not_allowed',
    'conflict',
    'gone',
    'invalid_input',
    'too_large',
    'unsupported_media_type',
    'rate_limited',
    'unavailable',
    'forbidden',
  ],
});

export const streamWorkflow = endpoint({
  id: 'streamWorkflow',
  method: 'POST',
  path: '/api/workflows/{workflow_id}/execute/stream',
  tag,
  summary: 'Run a workflow and stream its events (§6.1); `X-Run-Draft` and `X-Run-Until` as in execute',
  auth: 'own',
  kind: 'stream',
  params: workflowParams,
  query: callQuery,
  body: z.unknown(),
  errors: executeWorkflow.errors ?? [],
});

export const attachToExecution = endpoint({
  id: 'attachToExecution',
  method: 'GET',
  path: '/api/workflows/{id}/executions/{execution_id}/stream',
  tag,
  summary: 'Follow a run, including one on another process or one that has ended; `Last-Event-ID` resumes',
  auth: 'own',
  kind: 'stream',
  params: executionParams,
  query: callQuery.pick({ node_progress: true, tokens: true }).extend({
    /** Instead of the header, for clients that cannot set it. */
    last_event_id: z.string().optional(),
  }),
  errors: ['unauthenticated', 'not_found'],
});

export const cancelExecution = endpoint({
  id: 'cancelExecution',
  method: 'POST',
  path: '/api/workflows/{id}/executions/{execution_id}/cancel',
  tag,
  summary:
    'Stop a running or paused run and the runs it waits for; with `include_dispatched=true` also those it started without waiting',
  auth: 'session',
  params: executionParams,
  query: z.object({ include_dispatched: queryBoolean.optional() }),
  response: z.object({ status: z.literal('cancel_requested') }),
  errors: ['not_found'],
});

export const listActiveExecutions = endpoint({
  id: 'listActiveExecutions',
  method: 'GET',
  path: '/api/workflows/executions/active',
  tag,
  summary: 'Runs of your workflows that have not ended',
  auth: 'session',
  query: z.object({ workflow_id: uuid.optional() }),
  response: z.array(activeExecution),
});

export const listAllHistory = endpoint({
  id: 'listAllHistory',
  method: 'GET',
  path: '/api/workflows/history/all',
  tag,
  summary: 'Runs of every workflow that you can see, newest first',
  auth: 'session',
  query: historyFilters.extend({ workflow_id: uuid.optional() }),
  response: historyList,
  errors: ['not_found'],
});

export const getAnyHistoryEntry = endpoint({
  id: 'getAnyHistoryEntry',
  method: 'GET',
  path: '/api/workflows/history/all/{entry_id}',
  tag,
  summary: 'One run with its node results',
  auth: 'session',
  params: z.object({ entry_id: uuid }),
  response: historyEntry,
  errors: ['not_found'],
});

export const listHistory = endpoint({
  id: 'listHistory',
  method: 'GET',
  path: '/api/workflows/{id}/history',
  tag,
  summary: 'Runs of a workflow, newest first',
  auth: 'session',
  params: idParams,
  query: historyFilters,
  response: historyList,
  errors: ['not_found'],
});

export const getHistoryEntry = endpoint({
  id: 'getHistoryEntry',
  method: 'GET',
  path: '/api/workflows/{id}/history/{entry_id}',
  tag,
  summary: 'One run of a workflow with its node results',
  auth: 'session',
  params: entryParams,
  response: historyEntry,
  errors: ['not_found'],
});

export const streamHistoryEntry = endpoint({
  id: 'streamHistoryEntry',
  method: 'GET',
  path: '/api/workflows/{id}/history/{entry_id}/stream',
  tag,
  summary: 'Stream the run on each change until it has ended',
  auth: 'session',
  kind: 'stream',
  params: entryParams,
  errors: ['not_found'],
});

export const clearResponseCache = endpoint({
  id: 'clearResponseCache',
  method: 'DELETE',
  path: '/api/workflows/{id}/cache',
  tag,
  summary: 'Clear the cached responses of a workflow',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const executionEndpoints = [
  executeWorkflow,
  streamWorkflow,
  attachToExecution,
  cancelExecution,
  replayExecution,
  listActiveExecutions,
  listAllHistory,
  getAnyHistoryEntry,
  listHistory,
  getHistoryEntry,
  streamHistoryEntry,
  clearResponseCache,
];
