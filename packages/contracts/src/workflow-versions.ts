import { z } from 'zod';
import { idParams, page, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { graphEdge, graphNode } from './graph.ts';
import { storedName, storedText } from './text.ts';
import { versionedSettings } from './workflow-settings.ts';
import { savedWorkflow } from './workflows.ts';

const versionIdentity = {
  id: uuid,
  workflow_id: uuid,
  version_number: z.number().int(),
  name: z.string(),
  description: z.string().nullable(),
  /** The publisher's note on it. */
  note: z.string().nullable(),
  /** Why its owner published it although its evals had not passed; null for all other versions. */
  override_reason: z.string().nullable(),
  /** Who saved it; null when the account is gone. */
  created_by_id: uuid.nullable(),
  created_by_name: z.string().nullable(),
  created_at: timestamp,
};

export const workflowVersionSummary = z.object(versionIdentity).meta({ id: 'WorkflowVersionSummary' });
export type WorkflowVersionSummary = z.infer<typeof workflowVersionSummary>;

/** A published state of a workflow. */
export const workflowVersion = z
  .object({
    ...versionIdentity,
    ...versionedSettings.shape,
    auth_header_value_set: z.boolean(),
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
  })
  .meta({ id: 'WorkflowVersion' });
export type WorkflowVersion = z.infer<typeof workflowVersion>;

const changeType = z.enum(['added', 'removed', 'modified']);

/** `field` is dotted for what is inside `data`: `data.url`. */
const nodeFieldChange = z.object({
  type: z.enum(['node_field', 'field']),
  field: z.string(),
  old_value: z.unknown(),
  new_value: z.unknown(),
});

export const versionDiff = z
  .object({
    version_id: uuid,
    version_number: z.number().int(),
    compared_to_version_id: uuid,
    /** Null for the draft. */
    compared_to_version_number: z.number().int().nullable(),
    node_changes: z.array(
      z.object({
        node_id: z.string(),
        change_type: changeType,
        old_node: graphNode.nullable(),
        new_node: graphNode.nullable(),
        changes: z.array(nodeFieldChange),
      }),
    ),
    edge_changes: z.array(
      z.object({
        edge_id: z.string(),
        change_type: changeType,
        old_edge: graphEdge.nullable(),
        new_edge: graphEdge.nullable(),
      }),
    ),
    config_changes: z.array(
      z.object({
        type: z.literal('config'),
        field: z.string(),
        old_value: z.unknown(),
        new_value: z.unknown(),
      }),
    ),
  })
  .meta({ id: 'VersionDiff' });
export type VersionDiff = z.infer<typeof versionDiff>;

const tag = 'Workflow versions';
const versionParams = z.object({ id: uuid, version_id: uuid });

export const listVersions = endpoint({
  id: 'listWorkflowVersions',
  method: 'GET',
  path: '/api/workflows/{id}/versions',
  tag,
  summary: 'Former versions, highest number first; the current one is among them with `current=true`',
  auth: 'session',
  params: idParams,
  query: page.extend({ current: queryBoolean.optional() }),
  response: z.array(workflowVersionSummary),
  errors: ['not_found'],
});

export const readVersion = endpoint({
  id: 'readWorkflowVersion',
  method: 'GET',
  path: '/api/workflows/{id}/versions/{version_id}',
  tag,
  summary: 'One version with its graph',
  auth: 'session',
  params: versionParams,
  response: workflowVersion,
  errors: ['not_found'],
});

export const diffVersion = endpoint({
  id: 'diffWorkflowVersion',
  method: 'GET',
  path: '/api/workflows/{id}/versions/{version_id}/diff',
  tag,
  summary: 'Changes from this version to another one or to the draft, by default to the current version',
  auth: 'session',
  params: versionParams,
  query: z.object({ compare_to: z.union([uuid, z.literal('draft')]).optional() }),
  response: versionDiff,
  errors: ['not_found'],
});

export const revertVersion = endpoint({
  id: 'revertWorkflowVersion',
  method: 'POST',
  path: '/api/workflows/{id}/versions/{version_id}/revert',
  tag,
  summary: 'Make the state of a version current again, as a new version; discards a draft',
  auth: 'session',
  params: versionParams,
  body: z.object({
    confirm: z.literal(true, 'must be true to revert'),
    /** As for `publish`: the way back to what worked must not wait for evals. */
    override_reason: storedName(2_000).nullish(),
  }),
  response: savedWorkflow,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const deleteVersions = endpoint({
  id: 'deleteWorkflowVersions',
  method: 'DELETE',
  path: '/api/workflows/{id}/versions',
  tag,
  summary: 'Delete former versions, except those that unfinished runs still need',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

export const publishWorkflow = endpoint({
  id: 'publishWorkflow',
  method: 'POST',
  path: '/api/workflows/{id}/publish',
  tag,
  summary:
    'Make the draft a version, which calls and triggers run from then on; nothing to publish is no error',
  auth: 'session',
  params: idParams,
  body: z
    .object({
      /** A note on the version, for those who read the list of versions. */
      note: storedText(2_000).nullish(),
      /** `updated_at` of the record whose draft was looked at. */
      base_updated_at: timestamp.nullish(),
      /** Of the owner: publish although evals of the publish gate have not passed. Kept with the version. */
      override_reason: storedName(2_000).nullish(),
    })
    .nullish(),
  response: savedWorkflow,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const discardDraft = endpoint({
  id: 'discardWorkflowDraft',
  method: 'DELETE',
  path: '/api/workflows/{id}/draft',
  tag,
  summary: 'Discard the draft and return to the published version',
  auth: 'session',
  params: idParams,
  query: z.object({ base_updated_at: timestamp.optional() }),
  response: savedWorkflow,
  errors: ['not_found', 'conflict'],
});

export const workflowVersionEndpoints = [
  publishWorkflow,
  discardDraft,
  listVersions,
  deleteVersions,
  readVersion,
  diffVersion,
  revertVersion,
];
