import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';
import { graphEdge, graphEdges, graphNode, graphNodes } from './graph.ts';
import { storedName, storedText } from './text.ts';
import { portalBehaviour, runSettings, settingsInput, versionedSettings } from './workflow-settings.ts';

/** A shortcoming of a graph that may be saved but not run well; the editor underlines `field` of the node. */
export const workflowProblem = z
  .object({
    node_id: z.string().nullable(),
    edge_id: z.string().optional(),
    field: z.string().nullable(),
    code: z.string(),
    message: z.string(),
    severity: z.enum(['error', 'warning']),
  })
  .meta({ id: 'WorkflowProblem' });
export type WorkflowProblem = z.infer<typeof workflowProblem>;

/** A change or an omission of an import; `field` is a path like `nodes.3.type`. */
export const importWarning = z
  .object({ field: z.string(), message: z.string() })
  .meta({ id: 'ImportWarning' });
export type ImportWarning = z.infer<typeof importWarning>;

/** The caller's relation to the workflow: its owner, or a user it is shared with. */
export const workflowRole = z.enum(['owner', 'collaborator']).meta({ id: 'WorkflowRole' });
export type WorkflowRole = z.infer<typeof workflowRole>;

const identity = {
  id: uuid,
  name: z.string(),
  description: z.string().nullable(),
  owner_id: uuid,
  owner_name: z.string(),
  access: workflowRole,
  /** Folder of the caller: of the workflow for its owner, of the share for a collaborator. */
  folder_id: uuid.nullable(),
  /** Null for collaborators. */
  scheduled_for_deletion: timestamp.nullable(),
  first_node_type: z.string().nullable(),
  mcp_enabled: z.boolean(),
  portal_enabled: z.boolean(),
  portal_slug: z.string().nullable(),
  /** Off: neither triggers nor calls start it. */
  active: z.boolean(),
  /** False until a version was published: calls and triggers run nothing but published versions. */
  published: z.boolean(),
  /** The editor has saved a draft that is not published. */
  unpublished_changes: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
};

/** The row of a list. */
export const workflowSummary = z
  .object({
    ...identity,
    auth_type: versionedSettings.shape.auth_type,
    http_method: versionedSettings.shape.http_method,
    /** Name of the team through which the caller has access, when that is the only way. */
    shared_by_team: z.string().nullable(),
  })
  .meta({ id: 'WorkflowSummary' });
export type WorkflowSummary = z.infer<typeof workflowSummary>;

/** Everything about a workflow. Its graph is the published one, or the draft where that was asked for or is all there is. */
export const workflow = z
  .object({
    ...identity,
    ...versionedSettings.shape,
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
    /** Whether `nodes` and `edges` are a draft. */
    is_draft: z.boolean(),
    /** Derived: whether `auth_type` is `anonymous`. */
    allow_anonymous: z.boolean(),
    auth_header_value_set: z.boolean(),
    workflow_timeout_seconds: z.number().int().nullable(),
    ...runSettings.shape,
    error_workflow_id: uuid.nullable(),
    ...portalBehaviour,
    /** The published version; number 0 before the first one. */
    version_id: uuid,
    version_number: z.number().int(),
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.infer<typeof workflow>;

/** A workflow as saved, with what is wrong with its graph. */
export const savedWorkflow = workflow
  .extend({ problems: z.array(workflowProblem) })
  .meta({ id: 'SavedWorkflow' });
export type SavedWorkflow = z.infer<typeof savedWorkflow>;

export const workflowWithInputs = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    input_fields: z.array(z.object({ key: z.string(), defaultValue: z.unknown().optional() })),
    output_node: z
      .object({ label: z.string(), node_type: z.string(), output_expression: z.unknown() })
      .nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'WorkflowWithInputs' });
export type WorkflowWithInputs = z.infer<typeof workflowWithInputs>;

const tag = 'Workflows';
const name = storedName(255);
const description = storedText(10_000);
/** The draft in place of what is published, where there is one. */
const draftQuery = z.object({ draft: queryBoolean.optional() });

export const listWorkflows = endpoint({
  id: 'listWorkflows',
  method: 'GET',
  path: '/api/workflows',
  tag,
  summary: 'Workflows that the caller owns or that are shared with them; all of them unless `limit` is given',
  auth: 'session',
  query: z.object({
    /** Part of the name or the description, ignoring case. */
    search: storedText(255).optional(),
    sort: z.enum(['updated_at', 'created_at', 'name']).default('updated_at'),
    /** Dates newest first and names from A to Z by default. */
    order: z.enum(['asc', 'desc']).optional(),
    limit: z.coerce.number().int().min(1).max(500).optional(),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    /** With `before_id`: the page behind the workflow that has these, when sorted by `updated_at`. */
    before: timestamp.optional(),
    before_id: uuid.optional(),
  }),
  response: z.array(workflowSummary),
});

export const listWorkflowsWithInputs = endpoint({
  id: 'listWorkflowsWithInputs',
  method: 'GET',
  path: '/api/workflows/with-inputs',
  tag,
  summary: 'Workflows with their input fields and output node, for callers that start one',
  auth: 'session',
  response: z.array(workflowWithInputs),
});

export const createWorkflow = endpoint({
  id: 'createWorkflow',
  method: 'POST',
  path: '/api/workflows',
  tag,
  summary:
    'Create a workflow, empty and with the default settings unless others are given; published at once, or not with `draft=true`',
  auth: 'session',
  query: draftQuery,
  body_limit: GRAPH_BODY_BYTES,
  body: settingsInput.extend({
    name,
    description: description.nullish(),
    nodes: graphNodes.nullish(),
    edges: graphEdges.nullish(),
  }),
  response: workflow,
  status: 201,
  errors: ['conflict'],
});

export const readWorkflow = endpoint({
  id: 'readWorkflow',
  method: 'GET',
  path: '/api/workflows/{id}',
  tag,
  summary:
    'One workflow with its published graph; with `draft=true`, or before it was ever published, with the draft',
  auth: 'session',
  params: idParams,
  query: draftQuery,
  response: workflow,
  errors: ['not_found'],
});

export const updateWorkflow = endpoint({
  id: 'updateWorkflow',
  method: 'PUT',
  path: '/api/workflows/{id}',
  tag,
  summary:
    'Save a workflow; a graph is published, or kept as a draft with `draft=true`. A stale `base_updated_at` is refused with the current state and whether you saved its graph',
  auth: 'session',
  body_limit: GRAPH_BODY_BYTES,
  params: idParams,
  query: draftQuery,
  body: settingsInput.extend({
    name: name.nullish(),
    /** Empty clears it. */
    description: description.nullish(),
    nodes: graphNodes.nullish(),
    edges: graphEdges.nullish(),
    /** `updated_at` of the record that the change was made on. */
    base_updated_at: timestamp.nullish(),
  }),
  response: savedWorkflow,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const deleteWorkflow = endpoint({
  id: 'deleteWorkflow',
  method: 'DELETE',
  path: '/api/workflows/{id}',
  tag,
  summary: 'Delete a workflow with its versions, shares and tokens at once, and its runs soon after',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

/** A deleted workflow whose runs are still being deleted. */
export const workflowDeletion = z
  .object({
    workflow_id: uuid,
    workflow_name: z.string(),
    requested_at: timestamp,
    runs_deleted: z.number().int(),
    /** Null until they are counted. */
    runs_total: z.number().int().nullable(),
  })
  .meta({ id: 'WorkflowDeletion' });
export type WorkflowDeletion = z.infer<typeof workflowDeletion>;

export const listWorkflowDeletions = endpoint({
  id: 'listWorkflowDeletions',
  method: 'GET',
  path: '/api/workflows/deletions',
  tag,
  summary: 'Own deleted workflows whose runs are still being deleted, with the progress',
  auth: 'session',
  response: z.array(workflowDeletion),
});

export const listWorkflowProblems = endpoint({
  id: 'listWorkflowProblems',
  method: 'GET',
  path: '/api/workflows/{id}/problems',
  tag,
  summary: 'Problems in the published graph, or in the draft',
  auth: 'session',
  params: idParams,
  query: draftQuery,
  response: z.object({ problems: z.array(workflowProblem) }),
  errors: ['not_found'],
});

/** A node of another workflow that calls this one. */
export const workflowUse = z
  .object({ workflow_id: uuid, workflow_name: z.string(), node_id: z.string() })
  .meta({ id: 'WorkflowUse' });
export type WorkflowUse = z.infer<typeof workflowUse>;

export const listWorkflowUses = endpoint({
  id: 'listWorkflowUses',
  method: 'GET',
  path: '/api/workflows/{id}/used-by',
  tag,
  summary: 'Nodes of other workflows that call this one, as far as the caller can see them',
  auth: 'session',
  params: idParams,
  response: z.array(workflowUse),
  errors: ['not_found'],
});

/** How much of its limits a workflow uses. */
export const workflowQueue = z
  .object({
    places_taken: z
      .int()
      .describe('Runs under way that count towards `concurrency_limit`, regardless of their key.'),
    waiting: z.int().describe('Runs that wait for a place, counted up to 10,000.'),
  })
  .meta({ id: 'WorkflowQueue' });
export type WorkflowQueue = z.infer<typeof workflowQueue>;

export const getWorkflowQueue = endpoint({
  id: 'getWorkflowQueue',
  method: 'GET',
  path: '/api/workflows/{id}/queue',
  tag,
  summary: 'How many runs of a limited workflow are under way, and how many wait for a place',
  auth: 'session',
  params: idParams,
  response: workflowQueue,
  errors: ['not_found'],
});

export const duplicateWorkflow = endpoint({
  id: 'duplicateWorkflow',
  method: 'POST',
  path: '/api/workflows/{id}/duplicate',
  tag,
  summary:
    'Copy a workflow; the copy belongs to the caller. With `draft=true` the draft is copied and nothing is published',
  auth: 'session',
  params: idParams,
  query: draftQuery,
  body: z.object({ name: name.nullish() }).nullish(),
  response: workflow,
  status: 201,
  errors: ['not_found'],
});

export const exportWorkflow = endpoint({
  id: 'exportWorkflow',
  method: 'GET',
  path: '/api/workflows/{id}/export',
  tag,
  summary: 'The workflow as a file: `{name, description, nodes, edges}`',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  query: draftQuery,
  errors: ['not_found'],
});

export const importWorkflow = endpoint({
  id: 'importWorkflow',
  method: 'POST',
  path: '/api/workflows/import',
  tag,
  summary:
    'Create a workflow from an exported file: its content as the body, or as `document` beside a `name` or `file_name`; published at once, or not with `draft=true`; an export of n8n is converted, and is a draft unless `draft=false`',
  auth: 'session',
  query: draftQuery,
  body_limit: GRAPH_BODY_BYTES,
  body: z.looseObject({
    document: z.looseObject({}).optional(),
    name: storedText(255).nullish(),
    file_name: storedText(512).nullish(),
  }),
  response: z.object({ workflow, warnings: z.array(importWarning) }),
  status: 201,
});

export const workflowEndpoints = [
  listWorkflows,
  listWorkflowsWithInputs,
  createWorkflow,
  importWorkflow,
  readWorkflow,
  updateWorkflow,
  deleteWorkflow,
  listWorkflowDeletions,
  listWorkflowProblems,
  listWorkflowUses,
  getWorkflowQueue,
  duplicateWorkflow,
  exportWorkflow,
];
