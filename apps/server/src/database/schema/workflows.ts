import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, instant, jsonText, primaryId, updatedAt } from '../columns.ts';
import { teams, users } from './accounts.ts';

const ownerId = () =>
  uuid('owner_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' });

export const folders = pgTable(
  'folders',
  {
    id: primaryId(),
    name: text('name').notNull(),
    description: text('description'),
    parent_id: uuid('parent_id').references((): AnyPgColumn => folders.id, { onDelete: 'cascade' }),
    owner_id: ownerId(),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [index('folders_owner').on(t.owner_id), index('folders_parent').on(t.parent_id)],
);

/** Settings of §2.1; the graph lives in the version that `version_id` names. */
/** A start node that fires at the times of a cron expression (§6.2). */
export interface Schedule {
  readonly node_id: string;
  readonly cron: string;
}

export const workflows = pgTable(
  'workflows',
  {
    id: primaryId(),
    name: text('name').notNull(),
    description: text('description'),
    owner_id: ownerId(),
    folder_id: uuid('folder_id').references(() => folders.id, { onDelete: 'set null' }),
    version_id: uuid('version_id').notNull(),
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
    error_workflow_id: uuid('error_workflow_id'),
    mcp_enabled: boolean('mcp_enabled').notNull().default(false),
    portal_enabled: boolean('portal_enabled').notNull().default(false),
    portal_slug: text('portal_slug'),
    portal_stream_enabled: boolean('portal_stream_enabled').notNull().default(true),
    portal_file_upload_enabled: boolean('portal_file_upload_enabled').notNull().default(false),
    portal_file_config: jsonText('portal_file_config').notNull().default(sql`'{}'`),
    scheduled_for_deletion: instant('scheduled_for_deletion'),
    first_node_type: text('first_node_type'),
    /** Every start node of the current version is switched off; the daily deletion job reads it. */
    triggers_inactive: boolean('triggers_inactive').notNull().default(false),
    /** Active cron start nodes of the current version, so that the scheduler reads no graph. */
    schedules: jsonText('schedules').$type<Schedule[]>().notNull().default(sql`'[]'`),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [
    index('workflows_schedules').on(t.id).where(sql`${t.schedules} <> '[]'`),
    index('workflows_owner').on(t.owner_id, t.updated_at, t.id),
    index('workflows_folder').on(t.folder_id),
    uniqueIndex('workflows_portal_slug').on(t.portal_slug),
  ],
);

/** One row per saved state, the current one included; a run pins the row that it started with. */
export const workflowVersions = pgTable(
  'workflow_versions',
  {
    id: primaryId(),
    workflow_id: uuid('workflow_id')
      .notNull()
      .references(() => workflows.id, { onDelete: 'cascade' }),
    version_number: integer('version_number').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    nodes: jsonText('nodes').notNull(),
    edges: jsonText('edges').notNull(),
    /** The settings that a version shows and reverts, as one object. */
    settings: jsonText('settings').notNull(),
    created_by_id: uuid('created_by_id').references(() => users.id, { onDelete: 'set null' }),
    created_at: createdAt(),
  },
  (t) => [uniqueIndex('workflow_versions_number').on(t.workflow_id, t.version_number)],
);

export const workflowShares = pgTable(
  'workflow_shares',
  {
    id: primaryId(),
    workflow_id: uuid('workflow_id')
      .notNull()
      .references(() => workflows.id, { onDelete: 'cascade' }),
    user_id: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Folder of the person it is shared with. */
    folder_id: uuid('folder_id').references(() => folders.id, { onDelete: 'set null' }),
    mcp_enabled: boolean('mcp_enabled').notNull().default(false),
    shared_at: createdAt(),
  },
  (t) => [
    uniqueIndex('workflow_shares_pair').on(t.workflow_id, t.user_id),
    index('workflow_shares_user').on(t.user_id),
  ],
);

export const workflowTeamShares = pgTable(
  'workflow_team_shares',
  {
    id: primaryId(),
    workflow_id: uuid('workflow_id')
      .notNull()
      .references(() => workflows.id, { onDelete: 'cascade' }),
    team_id: uuid('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    shared_at: createdAt(),
  },
  (t) => [
    uniqueIndex('workflow_team_shares_pair').on(t.workflow_id, t.team_id),
    index('workflow_team_shares_team').on(t.team_id),
  ],
);

/** Which nodes of which workflow another workflow calls; lets a rename or deletion tell what it breaks. */
export const workflowReferences = pgTable(
  'workflow_references',
  {
    workflow_id: uuid('workflow_id')
      .notNull()
      .references(() => workflows.id, { onDelete: 'cascade' }),
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
    workflow_id: uuid('workflow_id')
      .notNull()
      .references(() => workflows.id, { onDelete: 'cascade' }),
    user_id: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
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
