import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, jsonText, primaryId, updatedAt } from '../columns.ts';
import { userId, users } from './accounts.ts';
import { shareIndexes, withTeam, withUser } from './share-columns.ts';

export const folders = pgTable(
  'folders',
  {
    id: primaryId(),
    name: text('name').notNull(),
    description: text('description'),
    parent_id: uuid('parent_id').references((): AnyPgColumn => folders.id, { onDelete: 'cascade' }),
    owner_id: userId('owner_id'),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [index('folders_owner').on(t.owner_id), index('folders_parent').on(t.parent_id)],
);

/** The lines of an import with the nodes that they are about, the most important first. */
export interface StoredImportReport {
  readonly imported_at: string;
  readonly lines: { readonly node_id: string | null; readonly field: string; readonly message: string }[];
}

/** Settings of §2.1; the graph lives in the version that `version_id` names, and the one being edited in a draft. */
export const workflows = pgTable(
  'workflows',
  {
    id: primaryId(),
    name: text('name').notNull(),
    description: text('description'),
    owner_id: userId('owner_id'),
    folder_id: uuid('folder_id').references(() => folders.id, { onDelete: 'set null' }),
    /** The published version; number 0, without a graph, until something was published. */
    version_id: uuid('version_id').notNull(),
    /** The draft that the editor saved since; null when it is what is published. */
    draft_id: uuid('draft_id'),
    /** Off: neither triggers nor calls start it. */
    active: boolean('active').notNull().default(true),
    auth_type: text('auth_type').$type<'anonymous' | 'jwt' | 'header_auth'>().notNull().default('jwt'),
    auth_header_key: text('auth_header_key'),
    auth_header_value: text('auth_header_value'),
    http_method: text('http_method').$type<'GET' | 'POST' | 'PUT' | 'DELETE'>().notNull().default('POST'),
    webhook_body_mode: text('webhook_body_mode').$type<'defined' | 'generic'>().notNull().default('defined'),
    cache_ttl_seconds: integer('cache_ttl_seconds'),
    rate_limit_requests: integer('rate_limit_requests'),
    rate_limit_window_seconds: integer('rate_limit_window_seconds'),
    sse_enabled: boolean('sse_enabled').notNull().default(false),
    sse_node_config: jsonText('sse_node_config').notNull().default(sql`'{}'`),
    workflow_timeout_seconds: integer('workflow_timeout_seconds'),
    /** Runs under way at once, on all processes; null: as many as there is room for. */
    concurrency_limit: integer('concurrency_limit'),
    /** Expression over the input of a run: runs with the same value count together; null: all runs of the workflow do. */
    concurrency_key: text('concurrency_key'),
    /** Runs that may wait for a place; null: as many as come. */
    queue_limit: integer('queue_limit'),
    /** Treatment of a run that would be one too many. */
    queue_overflow: text('queue_overflow').$type<'refuse' | 'drop_oldest'>().notNull().default('refuse'),
    /** Of its queued runs: higher goes first. */
    priority: integer('priority').notNull().default(0),
    /** US dollars that calls of models of one run may cost; null: no budget. */
    run_budget_usd: doublePrecision('run_budget_usd'),
    /** The same of all runs in one day. */
    daily_budget_usd: doublePrecision('daily_budget_usd'),
    /** A reference in a text that has no value fails its node. */
    strict_references: boolean('strict_references').notNull().default(false),
    error_workflow_id: uuid('error_workflow_id'),
    mcp_enabled: boolean('mcp_enabled').notNull().default(false),
    portal_enabled: boolean('portal_enabled').notNull().default(false),
    portal_slug: text('portal_slug'),
    portal_stream_enabled: boolean('portal_stream_enabled').notNull().default(true),
    portal_file_upload_enabled: boolean('portal_file_upload_enabled').notNull().default(false),
    portal_file_config: jsonText('portal_file_config').notNull().default(sql`'{}'`),
    portal_rate_limit_requests: integer('portal_rate_limit_requests'),
    portal_rate_limit_window_seconds: integer('portal_rate_limit_window_seconds'),
    portal_allowed_origins: jsonText('portal_allowed_origins').notNull().default(sql`'[]'`),
    portal_appearance: jsonText('portal_appearance').notNull().default(sql`'{}'`),
    scheduled_for_deletion: instant('scheduled_for_deletion'),
    first_node_type: text('first_node_type'),
    /** Every start node of the current version, or of a first draft, is switched off; the daily deletion job reads it. */
    triggers_inactive: boolean('triggers_inactive').notNull().default(false),
    /**
     * Report of what its import changed or left out, until it is dismissed; as large as the workflow, so only its
     * endpoints read it.
     */
    import_report: jsonText('import_report').$type<StoredImportReport>(),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [
    index('workflows_owner').on(t.owner_id, t.updated_at, t.id),
    index('workflows_folder').on(t.folder_id),
    uniqueIndex('workflows_portal_slug').on(t.portal_slug),
  ],
);

/** Column for a workflow; its rows go with the workflow. */
export const workflowId = () => belongsTo('workflow_id', () => workflows.id);

/** One row per published state, the current one included; a run pins the row that it started with. */
export const workflowVersions = pgTable(
  'workflow_versions',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    version_number: integer('version_number').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    nodes: jsonText('nodes').notNull(),
    edges: jsonText('edges').notNull(),
    /** The settings that a version shows and reverts, as one object. */
    settings: jsonText('settings').notNull(),
    /** The publisher's note on it. */
    note: text('note'),
    /** Why its owner published it although evals of the gate had not passed. */
    override_reason: text('override_reason'),
    created_by_id: uuid('created_by_id').references(() => users.id, { onDelete: 'set null' }),
    created_at: createdAt(),
  },
  (t) => [uniqueIndex('workflow_versions_number').on(t.workflow_id, t.version_number)],
);

/**
 * Graphs that the editor saved and that are not published, one row per saved state: a row never changes, for a run may be pinned
 * to it. A workflow has one that is current; older ones stay only where a run of the editor started with them.
 */
export const workflowDrafts = pgTable(
  'workflow_drafts',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    nodes: jsonText('nodes').notNull(),
    edges: jsonText('edges').notNull(),
    saved_by_id: uuid('saved_by_id').references(() => users.id, { onDelete: 'set null' }),
    saved_at: instant('saved_at').notNull(),
    /** A run started with it, so it stays. */
    was_run: boolean('was_run').notNull().default(false),
  },
  (t) => [index('workflow_drafts_workflow').on(t.workflow_id)],
);

export const workflowShares = pgTable(
  'workflow_shares',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    ...withUser(),
    /** Folder of the person it is shared with. */
    folder_id: uuid('folder_id').references(() => folders.id, { onDelete: 'set null' }),
    mcp_enabled: boolean('mcp_enabled').notNull().default(false),
  },
  (t) => shareIndexes('workflow_shares', t.workflow_id, { user: t.user_id }),
);

export const workflowTeamShares = pgTable(
  'workflow_team_shares',
  { id: primaryId(), workflow_id: workflowId(), ...withTeam() },
  (t) => shareIndexes('workflow_team_shares', t.workflow_id, { team: t.team_id }),
);

/** Which nodes of which workflow another workflow calls; lets a rename or deletion show what it breaks. */
export const workflowReferences = pgTable(
  'workflow_references',
  {
    workflow_id: workflowId(),
    target_id: uuid('target_id').notNull(),
    node_id: text('node_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workflow_id, t.target_id, t.node_id] }),
    index('workflow_references_target').on(t.target_id),
  ],
);

export const executionTokens = pgTable(
  'execution_tokens',
  {
    id: primaryId(),
    jti: uuid('jti').notNull(),
    workflow_id: workflowId(),
    user_id: userId('user_id'),
    /** The signed token, shown again to the person who made it. */
    token: text('token').notNull(),
    expires_at: instant('expires_at').notNull(),
    revoked_at: instant('revoked_at'),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('execution_tokens_jti').on(t.jti),
    index('execution_tokens_owner').on(t.workflow_id, t.user_id),
  ],
);
