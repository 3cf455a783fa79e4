import {
  type GraphEdge,
  type GraphNode,
  type PortalFileConfig,
  portalAppearance,
  type SseNodeConfig,
  type VersionedSettings,
  type Workflow,
  type WorkflowRole,
  type WorkflowSummary,
} from '@millrace/contracts';
import { isPublished, type VisibleWorkflow, type WorkflowRow } from './access.ts';

/** A graph as it is stored and answered. */
export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** A graph that is not published. */
export interface Draft {
  readonly graph: Graph;
  readonly saved_by_id: string | null;
}

/** Settings that versions keep, in the order in which they are shown. */
export const VERSIONED = [
  'auth_type',
  'auth_header_key',
  'auth_header_value',
  'http_method',
  'webhook_body_mode',
  'cache_ttl_seconds',
  'rate_limit_requests',
  'rate_limit_window_seconds',
  'sse_enabled',
  'sse_node_config',
] as const satisfies readonly (keyof VersionedSettings & keyof WorkflowRow)[];

export function versionedSettings(row: Pick<WorkflowRow, (typeof VERSIONED)[number]>): VersionedSettings {
  return {
    auth_type: row.auth_type,
    auth_header_key: row.auth_header_key,
    auth_header_value: row.auth_header_value,
    http_method: row.http_method,
    webhook_body_mode: row.webhook_body_mode,
    cache_ttl_seconds: row.cache_ttl_seconds,
    rate_limit_requests: row.rate_limit_requests,
    rate_limit_window_seconds: row.rate_limit_window_seconds,
    sse_enabled: row.sse_enabled,
    sse_node_config: row.sse_node_config as SseNodeConfig,
  };
}

/** §5.8: the expected header value is hidden from collaborators, who still see whether there is one. */
export function hideHeaderValue<T extends { auth_header_value: string | null }>(
  settings: T,
  role: WorkflowRole,
): T & { auth_header_value_set: boolean } {
  const auth_header_value_set = settings.auth_header_value !== null;
  return role === 'owner'
    ? { ...settings, auth_header_value_set }
    : { ...settings, auth_header_value: null, auth_header_value_set };
}

function identity(visible: VisibleWorkflow) {
  const { row, role, owner_name, folder_id } = visible;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    owner_id: row.owner_id,
    owner_name,
    access: role,
    folder_id,
    scheduled_for_deletion: role === 'owner' ? (row.scheduled_for_deletion?.toISOString() ?? null) : null,
    first_node_type: row.first_node_type,
    mcp_enabled: row.mcp_enabled,
    portal_enabled: row.portal_enabled,
    portal_slug: row.portal_slug,
    active: row.active,
    published: isPublished(visible),
    unpublished_changes: row.draft_id !== null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function workflowSummary(visible: VisibleWorkflow): WorkflowSummary {
  const { auth_type, http_method } = visible.row;
  return { ...identity(visible), auth_type, http_method, shared_by_team: visible.shared_by_team };
}

export function workflowRecord(visible: VisibleWorkflow, graph: Graph): Omit<Workflow, 'is_draft'> {
  const { row, role, version_number } = visible;
  return {
    ...identity(visible),
    ...hideHeaderValue(versionedSettings(row), role),
    nodes: graph.nodes,
    edges: graph.edges,
    allow_anonymous: row.auth_type === 'anonymous',
    workflow_timeout_seconds: row.workflow_timeout_seconds,
    concurrency_limit: row.concurrency_limit,
    concurrency_key: row.concurrency_key,
    queue_limit: row.queue_limit,
    queue_overflow: row.queue_overflow,
    priority: row.priority,
    run_budget_usd: row.run_budget_usd,
    daily_budget_usd: row.daily_budget_usd,
    strict_references: row.strict_references,
    error_workflow_id: row.error_workflow_id,
    portal_stream_enabled: row.portal_stream_enabled,
    portal_file_upload_enabled: row.portal_file_upload_enabled,
    portal_file_config: row.portal_file_config as PortalFileConfig,
    portal_rate_limit_requests: row.portal_rate_limit_requests,
    portal_rate_limit_window_seconds: row.portal_rate_limit_window_seconds,
    portal_allowed_origins: row.portal_allowed_origins as string[],
    portal_appearance: portalAppearance.parse(row.portal_appearance),
    version_id: row.version_id,
    version_number,
  };
}
