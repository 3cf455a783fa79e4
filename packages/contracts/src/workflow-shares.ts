import { z } from 'zod';
import { uuid } from './common.ts';
import { teamShareEndpoints, userShare, userShareEndpoints } from './shares.ts';

const shared = { name: 'workflow', path: '/api/workflows', tag: 'Workflow shares' };

/** A person that a workflow is shared with, and what they made of it. */
export const workflowShare = userShare
  .extend({
    /** Whether the person offers the workflow as a tool of their own MCP endpoint. */
    mcp_enabled: z.boolean(),
    /** Folder in which the person keeps it (§2.2). */
    folder_id: uuid.nullable(),
  })
  .meta({ id: 'WorkflowShare' });
export type WorkflowShare = z.infer<typeof workflowShare>;

/** Sharing a workflow shares neither its credentials nor its sub-workflows (§5.8). */
export const workflowUserShares = userShareEndpoints(shared, workflowShare);
export const workflowTeamShares = teamShareEndpoints(shared);

export const workflowShareEndpoints = [
  ...Object.values(workflowUserShares),
  ...Object.values(workflowTeamShares),
];
