import { z } from 'zod';
import { idParams, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

/** The workflows that a person keeps at hand, in the list of workflows and in the quick drawer. */
export const workflowPins = z
  .object({
    /** Newest pin first; only workflows that the person can see. */
    workflow_ids: z.array(uuid),
  })
  .meta({ id: 'WorkflowPins' });
export type WorkflowPins = z.infer<typeof workflowPins>;

const tag = 'Workflow pins';

export const listWorkflowPins = endpoint({
  id: 'listWorkflowPins',
  method: 'GET',
  path: '/api/workflow-pins',
  tag,
  summary: 'Workflows that the caller has pinned',
  auth: 'session',
  response: workflowPins,
});

const pin = {
  path: '/api/workflows/{id}/pin',
  tag,
  auth: 'session',
  params: idParams,
  response: workflowPins,
  errors: ['not_found'],
} as const;

export const pinWorkflow = endpoint({
  ...pin,
  id: 'pinWorkflow',
  method: 'PUT',
  summary: 'Pin a workflow for the caller alone; a pinned one stays where it is',
});

export const unpinWorkflow = endpoint({
  ...pin,
  id: 'unpinWorkflow',
  method: 'DELETE',
  summary: 'Take a pin away; without one nothing changes',
});

export const workflowPinEndpoints = [listWorkflowPins, pinWorkflow, unpinWorkflow];
