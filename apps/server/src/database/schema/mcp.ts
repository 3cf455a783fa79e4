import { index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, primaryId } from '../columns.ts';
import { userId } from './accounts.ts';
import { workflowId } from './workflows.ts';

/** One key per person, for MCP clients (§5.6). Only its SHA-256 is stored. */
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
