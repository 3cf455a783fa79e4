import { index, pgTable, primaryKey, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, primaryId } from '../columns.ts';
import { userId } from './accounts.ts';
import { workflowId } from './workflows.ts';

/** The key of a person at the default MCP server (§5.6). Only its SHA-256 is stored. */
export const mcpKeys = pgTable(
  'mcp_keys',
  {
    /** Another one with each new key: what was made with the former key names this id. */
    id: primaryId(),
    user_id: userId('user_id'),
    key_hash: text('key_hash').notNull(),
    created_at: createdAt(),
  },
  (t) => [uniqueIndex('mcp_keys_user').on(t.user_id), uniqueIndex('mcp_keys_hash').on(t.key_hash)],
);

/** Workflows that reach a person through a team and are tools of theirs; a direct share holds its own switch. */
export const teamWorkflowTools = pgTable(
  'team_workflow_tools',
  { workflow_id: workflowId(), user_id: userId('user_id') },
  (t) => [
    primaryKey({ columns: [t.workflow_id, t.user_id] }),
    index('team_workflow_tools_user').on(t.user_id),
  ],
);

/** MCP servers that a person has beside the default one; each offers the workflows that are linked to it. */
export const mcpServers = pgTable(
  'mcp_servers',
  {
    id: primaryId(),
    user_id: userId('user_id'),
    name: text('name').notNull(),
    /** Another one with each new key, as in `mcp_keys`. */
    key_id: uuid('key_id').notNull(),
    key_hash: text('key_hash').notNull(),
    created_at: createdAt(),
  },
  (t) => [uniqueIndex('mcp_servers_name').on(t.user_id, t.name)],
);

/** Null for the default server. */
const serverId = () => uuid('server_id').references(() => mcpServers.id, { onDelete: 'cascade' });

export const mcpServerWorkflows = pgTable(
  'mcp_server_workflows',
  { server_id: belongsTo('server_id', () => mcpServers.id), workflow_id: workflowId() },
  (t) => [
    primaryKey({ columns: [t.server_id, t.workflow_id] }),
    index('mcp_server_workflows_workflow').on(t.workflow_id),
  ],
);

/**
 * Names of the tools of an MCP server (§2.1), from their first listing until the workflow is deleted or its person asks for another
 * one: clients and their instructions name tools, so that a renamed workflow keeps its tool.
 */
export const mcpToolNames = pgTable(
  'mcp_tool_names',
  {
    id: primaryId(),
    user_id: userId('user_id'),
    server_id: serverId(),
    workflow_id: workflowId(),
    name: text('name').notNull(),
  },
  (t) => [
    unique('mcp_tool_names_name').on(t.user_id, t.server_id, t.name).nullsNotDistinct(),
    unique('mcp_tool_names_workflow').on(t.user_id, t.server_id, t.workflow_id).nullsNotDistinct(),
    index('mcp_tool_names_server').on(t.server_id),
    index('mcp_tool_names_of_workflow').on(t.workflow_id),
  ],
);

/** Open event streams of MCP clients (§5.6). Without its row a session has ended, in every process. */
export const mcpSessions = pgTable(
  'mcp_sessions',
  {
    /** Of the stream. */
    id: primaryId(),
    user_id: userId('user_id'),
    server_id: serverId(),
    /** The name that the client gives itself; null until it has done so. */
    client_name: text('client_name'),
    created_at: createdAt(),
    last_call_at: instant('last_call_at'),
    expires_at: instant('expires_at').notNull(),
  },
  (t) => [
    index('mcp_sessions_user').on(t.user_id),
    index('mcp_sessions_server').on(t.server_id),
    index('mcp_sessions_expiry').on(t.expires_at),
  ],
);
