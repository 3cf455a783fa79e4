import { createHash } from 'node:crypto';
import {
  type CompiledNode,
  type CompiledWorkflow,
  compileWorkflow,
  readTypedFields,
  type TypedField,
  type WorkflowDocument,
} from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { RunEventName } from '@millrace/nodes/runtime';
import type { SqlClient } from '../../database/sql-client.ts';
import type { RateLimit, StartMessage, WorkflowSettings, WorkflowVersion } from './published-workflow.ts';

interface SettingsRow {
  id: string;
  name: string;
  description: string | null;
  owner_id: string;
  version_id: string;
  auth_type: WorkflowSettings['auth_type'];
  auth_header_key: string | null;
  auth_header_value: string | null;
  http_method: WorkflowSettings['http_method'];
  cache_ttl_seconds: number | null;
  rate_limit_requests: number | null;
  rate_limit_window_seconds: number | null;
  portal_rate_limit_requests: number | null;
  portal_rate_limit_window_seconds: number | null;
  sse_node_config: string;
  workflow_timeout_seconds: number | null;
  concurrency_limit: number | null;
  concurrency_key: string | null;
  queue_limit: number | null;
  queue_overflow: WorkflowSettings['queue_overflow'];
  priority: number;
  run_budget_usd: number | null;
  daily_budget_usd: number | null;
  strict_references: boolean;
  error_workflow_id: string | null;
  active: boolean;
  reports_finished: boolean;
  reports_failed: boolean;
}

function toRateLimit(requests: number | null, window_seconds: number | null): RateLimit | undefined {
  if (!requests || !window_seconds || requests <= 0 || window_seconds <= 0) return undefined;
  return { requests, window_seconds };
}

function startMessages(text: string): Map<string, StartMessage> {
  const parsed = JSON.parse(text) as Record<string, Partial<StartMessage> | null> | null;
  return new Map(
    Object.entries(parsed ?? {}).map(([node, config]) => [
      node,
      { send_start: config?.send_start === true, start_message: config?.start_message ?? null },
    ]),
  );
}

function reportedEnds({ reports_finished, reports_failed }: SettingsRow): Set<RunEventName> {
  const names = new Set<RunEventName>();
  if (reports_finished) names.add('run.finished');
  if (reports_failed) names.add('run.failed');
  return names;
}

/** Whether another workflow of the same owner has a trigger for the event, also one that is switched off at the moment. */
const isReported = (
  name: RunEventName,
): string => `EXISTS (SELECT 1 FROM triggers t JOIN workflows s ON s.id = t.workflow_id
  WHERE t.kind = 'event' AND t.settings LIKE '%"${name}"%' AND s.owner_id = workflows.owner_id AND s.id <> workflows.id)`;

function toSettings(row: SettingsRow): WorkflowSettings {
  const timeout = row.workflow_timeout_seconds ?? 0;
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? '',
    owner_id: row.owner_id,
    version_id: row.version_id,
    auth_type: row.auth_type,
    auth_header_key: row.auth_header_key?.trim().toLowerCase() || undefined,
    auth_header_value: row.auth_header_value || undefined,
    http_method: row.http_method,
    cache_ttl_seconds: Math.max(0, row.cache_ttl_seconds ?? 0),
    rate_limit: toRateLimit(row.rate_limit_requests, row.rate_limit_window_seconds),
    portal_rate_limit: toRateLimit(row.portal_rate_limit_requests, row.portal_rate_limit_window_seconds),
    sse_node_config: startMessages(row.sse_node_config),
    timeout_ms: timeout > 0 ? timeout * 1000 : undefined,
    concurrency_limit: row.concurrency_limit ?? undefined,
    concurrency_key: row.concurrency_key ?? undefined,
    queue_limit: row.queue_limit ?? undefined,
    queue_overflow: row.queue_overflow,
    priority: row.priority,
    run_budget_usd: row.run_budget_usd ?? undefined,
    daily_budget_usd: row.daily_budget_usd ?? undefined,
    strict_references: row.strict_references,
    error_workflow_id: row.error_workflow_id ?? undefined,
    active: row.active,
    reported_ends: reportedEnds(row),
  };
}

export async function loadSettings(
  sql: SqlClient,
  workflow_id: string,
): Promise<WorkflowSettings | undefined> {
  const { rows } = await sql.query<SettingsRow>({
    name: 'execution_settings',
    text: `SELECT id, name, description, owner_id, version_id, auth_type, auth_header_key, auth_header_value, http_method,
        cache_ttl_seconds, rate_limit_requests, rate_limit_window_seconds, sse_node_config,
        workflow_timeout_seconds, concurrency_limit, concurrency_key, queue_limit, queue_overflow, priority,
        run_budget_usd, daily_budget_usd,
        strict_references, error_workflow_id, active,
        portal_rate_limit_requests, portal_rate_limit_window_seconds,
        ${isReported('run.finished')} AS reports_finished, ${isReported('run.failed')} AS reports_failed
      FROM workflows WHERE id = $1`,
    values: [workflow_id],
  });
  return rows[0] && toSettings(rows[0]);
}

/** Objects take a few times the room of the text that they are read from. */
const BYTES_PER_CHARACTER = 6;
const BYTES_PER_GRAPH = 4_096;

export interface VersionText {
  readonly id: string;
  readonly workflow_id: string;
  readonly number: number | null;
  readonly nodes: string;
  readonly edges: string;
}

function compile(row: VersionText): CompiledWorkflow {
  // Stored by the workflows resource, which validates the document before it writes it.
  const document: WorkflowDocument = { nodes: JSON.parse(row.nodes), edges: JSON.parse(row.edges) };
  return compileWorkflow(document, catalog);
}

/**
 * The draft of a workflow, from now on kept for the runs that start with it. Null when it has none, undefined when it was
 * saved again in between and has to be looked for once more.
 */
export async function keepDraft(sql: SqlClient, workflow_id: string): Promise<string | null | undefined> {
  const { rows } = await sql.query<{ draft_id: string | null; kept_id: string | null }>({
    name: 'execution_draft',
    text: `WITH current AS (SELECT draft_id FROM workflows WHERE id = $1),
        kept AS (UPDATE workflow_drafts SET was_run = true WHERE id = (SELECT draft_id FROM current) RETURNING id)
      SELECT draft_id, (SELECT id FROM kept) AS kept_id FROM current`,
    values: [workflow_id],
  });
  const [row] = rows;
  return row?.draft_id && !row.kept_id ? undefined : (row?.kept_id ?? null);
}

/** The first start node that is switched on and waits for a file. */
const findUploadTrigger = ({ nodes, roots }: CompiledWorkflow): CompiledNode | undefined =>
  nodes.find(
    ({ index, active, definition }) => definition.receives === 'upload' && active && roots.includes(index),
  );

const listTypedInputs = ({ nodes, roots }: CompiledWorkflow): readonly TypedField[] =>
  roots.flatMap((root) => {
    const node = nodes[root];
    return node?.active && node.definition.type === 'textInput'
      ? readTypedFields(node.data['inputFields'])
      : [];
  });

/** A version, or a draft, which is never changed either. */
export async function loadVersion(sql: SqlClient, version_id: string): Promise<WorkflowVersion | undefined> {
  const { rows } = await sql.query<VersionText>({
    name: 'execution_version',
    text: `SELECT id, workflow_id, version_number AS number, nodes, edges FROM workflow_versions WHERE id = $1
      UNION ALL SELECT id, workflow_id, NULL, nodes, edges FROM workflow_drafts WHERE id = $1`,
    values: [version_id],
  });
  const row = rows[0];
  if (!row) return undefined;
  const graph = compile(row);
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    number: row.number,
    graph,
    upload_trigger: findUploadTrigger(graph),
    typed_inputs: listTypedInputs(graph),
    graph_hash: createHash('sha256').update(row.nodes).update('\n').update(row.edges).digest('hex'),
    reads_globals: row.nodes.includes('$global'),
    bytes: BYTES_PER_GRAPH + (row.nodes.length + row.edges.length) * BYTES_PER_CHARACTER,
  };
}
