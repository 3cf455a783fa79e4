import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';
import { graphEdge, graphEdges, graphNode, graphNodes } from './graph.ts';
import { storedName, storedText } from './text.ts';

/** `specific_users` also takes teams (§2.5). */
export const templateVisibility = z.enum(['everyone', 'specific_users']);

const common = {
  id: uuid,
  author_id: uuid,
  author_name: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  visibility: templateVisibility,
  /** E-mail addresses; empty for readers who are not the author. */
  shared_with: z.array(z.string()),
  /** Ids of teams; empty for readers who are not the author. */
  shared_with_teams: z.array(uuid),
  use_count: z.number().int(),
  created_at: timestamp,
};

export const workflowTemplate = z
  .object({
    ...common,
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
    canvas_snapshot: z.string().nullable(),
  })
  .meta({ id: 'WorkflowTemplate' });
export type WorkflowTemplate = z.infer<typeof workflowTemplate>;

export const nodeTemplate = z
  .object({ ...common, node_type: z.string(), node_data: z.record(z.string(), z.unknown()) })
  .meta({ id: 'NodeTemplate' });
export type NodeTemplate = z.infer<typeof nodeTemplate>;

const tag = 'Templates';
const path = '/api/templates';

const settings = {
  name: storedName(255),
  description: storedText(2_000).nullish(),
  tags: z.array(storedName(50)).max(20).default([]),
  visibility: templateVisibility.default('everyone'),
  shared_with: z.array(z.email().max(255)).max(200).default([]),
  shared_with_teams: z.array(uuid).max(200).default([]),
};

const workflowInput = z.object({
  ...settings,
  nodes: graphNodes,
  edges: graphEdges.default([]),
  /** Picture of the canvas as a data address or as SVG text. */
  canvas_snapshot: storedText(500_000).nullish(),
});
const nodeInput = z.object({
  ...settings,
  node_type: storedName(100),
  node_data: z.record(z.string(), z.unknown()),
});

export const listTemplates = endpoint({
  id: 'listTemplates',
  method: 'GET',
  path,
  tag,
  summary: 'Templates that the caller made or may see, newest first',
  auth: 'session',
  query: z.object({ type: z.enum(['workflow', 'node']).optional(), search: storedText(255).optional() }),
  response: z.object({
    workflow_templates: z.array(workflowTemplate),
    node_templates: z.array(nodeTemplate),
  }),
});

export const createTemplate = endpoint({
  id: 'createTemplate',
  method: 'POST',
  path,
  tag,
  summary: 'Create a template from a workflow or a node',
  auth: 'session',
  body_limit: GRAPH_BODY_BYTES,
  body: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('workflow'), workflow: workflowInput }),
    z.object({ kind: z.literal('node'), node: nodeInput }),
  ]),
  response: z.union([workflowTemplate, nodeTemplate]),
  status: 201,
  errors: ['not_found'],
});

const changeInput = z.object({
  name: settings.name.nullish(),
  description: settings.description,
  tags: z.array(storedName(50)).max(20).nullish(),
  visibility: templateVisibility.nullish(),
  shared_with: z.array(z.email().max(255)).max(200).nullish(),
  shared_with_teams: z.array(uuid).max(200).nullish(),
});

/** Read, change, delete and use: the same four for both kinds. */
function templateEndpoints<Kind extends 'Workflow' | 'Node', Response extends z.ZodType>(
  kind: Kind,
  response: Response,
) {
  const address = `${path}/${kind.toLowerCase()}/{id}`;
  const noun = `a ${kind.toLowerCase()} template`;
  return {
    read: endpoint({
      id: `read${kind}Template`,
      method: 'GET',
      path: address,
      tag,
      summary: `Read ${noun}`,
      auth: 'session',
      params: idParams,
      response,
      errors: ['not_found'],
    }),
    update: endpoint({
      id: `update${kind}Template`,
      method: 'PATCH',
      path: address,
      tag,
      summary: `Change ${noun}; only its author may`,
      auth: 'session',
      body_limit: GRAPH_BODY_BYTES,
      params: idParams,
      body: changeInput,
      response,
      errors: ['forbidden', 'not_found'],
    }),
    remove: endpoint({
      id: `delete${kind}Template`,
      method: 'DELETE',
      path: address,
      tag,
      summary: `Delete ${noun}; only its author may`,
      auth: 'session',
      params: idParams,
      errors: ['forbidden', 'not_found'],
    }),
    use: endpoint({
      id: `use${kind}Template`,
      method: 'POST',
      path: `${address}/use`,
      tag,
      summary: `Count one use of ${noun} and read it`,
      auth: 'session',
      params: idParams,
      response,
      errors: ['not_found'],
    }),
  };
}

export const workflowTemplates = templateEndpoints('Workflow', workflowTemplate);
export const nodeTemplates = templateEndpoints('Node', nodeTemplate);

export const allTemplateEndpoints = [
  listTemplates,
  createTemplate,
  ...Object.values(workflowTemplates),
  ...Object.values(nodeTemplates),
];
