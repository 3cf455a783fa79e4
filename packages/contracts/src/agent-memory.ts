import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { GRAPH_LIMITS } from './graph.ts';
import { storedName } from './text.ts';

export const AGENT_MEMORY_LIMITS = {
  /** Of one memory. */
  nodes: 2_000,
  /** Of one memory. */
  edges: 5_000,
  entity_name: 255,
  entity_type: 50,
  relationship_type: 100,
  /** Characters of the properties of a node or an edge as JSON text. */
  property_characters: 2_000,
} as const;

const properties = z
  .record(z.string(), z.json())
  .refine((value) => JSON.stringify(value).length <= AGENT_MEMORY_LIMITS.property_characters, {
    error: `must be at most ${AGENT_MEMORY_LIMITS.property_characters} characters as JSON`,
  });
const confidence = z.number().min(0).max(1);
const entityName = storedName(AGENT_MEMORY_LIMITS.entity_name);
const entityType = storedName(AGENT_MEMORY_LIMITS.entity_type);
const relationshipType = storedName(AGENT_MEMORY_LIMITS.relationship_type);

/** Something that an agent remembers. */
export const agentMemoryNode = z
  .object({
    id: uuid,
    entity_name: z.string(),
    entity_type: z.string(),
    properties: z.record(z.string(), z.json()),
    /** From 0 to 1. */
    confidence: z.number(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'AgentMemoryNode' });
export type AgentMemoryNode = z.infer<typeof agentMemoryNode>;

/** How two of them are related. */
export const agentMemoryEdge = z
  .object({
    id: uuid,
    source_entity_name: z.string(),
    target_entity_name: z.string(),
    source_node_id: uuid,
    target_node_id: uuid,
    relationship_type: z.string(),
    properties: z.record(z.string(), z.json()),
    confidence: z.number(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'AgentMemoryEdge' });
export type AgentMemoryEdge = z.infer<typeof agentMemoryEdge>;

export const agentMemoryGraph = z
  .object({ nodes: z.array(agentMemoryNode), edges: z.array(agentMemoryEdge) })
  .meta({ id: 'AgentMemoryGraph' });
export type AgentMemoryGraph = z.infer<typeof agentMemoryGraph>;

const nodeInput = z.object({
  entity_name: entityName,
  entity_type: entityType,
  properties: properties.default({}),
  confidence: confidence.default(1),
});
export type AgentMemoryNodeInput = z.infer<typeof nodeInput>;

const edgeInput = z.object({
  /** Name of a node of the same memory, in any case of letters. */
  source_entity_name: entityName,
  target_entity_name: entityName,
  relationship_type: relationshipType,
  properties: properties.default({}),
  confidence: confidence.default(1),
});
export type AgentMemoryEdgeInput = z.infer<typeof edgeInput>;

const nodeChange = z.object({
  entity_name: entityName.optional(),
  entity_type: entityType.optional(),
  properties: properties.optional(),
  confidence: confidence.optional(),
});
export type AgentMemoryNodeChange = z.infer<typeof nodeChange>;

const edgeChange = z.object({
  source_entity_name: entityName.optional(),
  target_entity_name: entityName.optional(),
  relationship_type: relationshipType.optional(),
  properties: properties.optional(),
  confidence: confidence.optional(),
});
export type AgentMemoryEdgeChange = z.infer<typeof edgeChange>;

const tag = 'Agent memory';
const path = '/api/workflows/{id}';
/** `node` is the id of the agent on the canvas. */
const ofNode = `${path}/nodes/{node}/agent-memory` as const;
const placeParams = z.object({ id: uuid, node: z.string().min(1).max(GRAPH_LIMITS.id_length) });
const nodeParams = idParams.extend({ memory_node_id: uuid });
const edgeParams = idParams.extend({ memory_edge_id: uuid });
const deleted = z.object({ status: z.literal('deleted') });

export const readAgentMemory = endpoint({
  id: 'readAgentMemory',
  method: 'GET',
  path: `${ofNode}/graph`,
  tag,
  summary: 'What an agent remembers: entities by name, and their relationships',
  auth: 'session',
  params: placeParams,
  response: agentMemoryGraph,
  errors: ['not_found'],
});

export const createAgentMemoryNode = endpoint({
  id: 'createAgentMemoryNode',
  method: 'POST',
  path: `${ofNode}/nodes`,
  tag,
  summary: 'Add an entity to the memory of an agent',
  auth: 'session',
  params: placeParams,
  body: nodeInput,
  response: agentMemoryNode,
  status: 201,
  errors: ['not_found', 'conflict'],
});

export const createAgentMemoryEdge = endpoint({
  id: 'createAgentMemoryEdge',
  method: 'POST',
  path: `${ofNode}/edges`,
  tag,
  summary: 'Add a relationship between two entities of the memory of an agent',
  auth: 'session',
  params: placeParams,
  body: edgeInput,
  response: agentMemoryEdge,
  status: 201,
  errors: ['not_found', 'conflict'],
});

export const updateAgentMemoryNode = endpoint({
  id: 'updateAgentMemoryNode',
  method: 'PUT',
  path: `${path}/agent-memory/nodes/{memory_node_id}`,
  tag,
  summary: 'Change an entity; fields that are left out stay, and its relationships follow a new name',
  auth: 'session',
  params: nodeParams,
  body: nodeChange,
  response: agentMemoryNode,
  errors: ['not_found', 'conflict'],
});

export const deleteAgentMemoryNode = endpoint({
  id: 'deleteAgentMemoryNode',
  method: 'DELETE',
  path: `${path}/agent-memory/nodes/{memory_node_id}`,
  tag,
  summary: 'Delete an entity with its relationships',
  auth: 'session',
  params: nodeParams,
  response: deleted,
  errors: ['not_found'],
});

export const updateAgentMemoryEdge = endpoint({
  id: 'updateAgentMemoryEdge',
  method: 'PUT',
  path: `${path}/agent-memory/edges/{memory_edge_id}`,
  tag,
  summary: 'Change a relationship; fields that are left out stay',
  auth: 'session',
  params: edgeParams,
  body: edgeChange,
  response: agentMemoryEdge,
  errors: ['not_found', 'conflict'],
});

export const deleteAgentMemoryEdge = endpoint({
  id: 'deleteAgentMemoryEdge',
  method: 'DELETE',
  path: `${path}/agent-memory/edges/{memory_edge_id}`,
  tag,
  summary: 'Delete a relationship',
  auth: 'session',
  params: edgeParams,
  response: deleted,
  errors: ['not_found'],
});

export const agentMemoryEndpoints = [
  readAgentMemory,
  createAgentMemoryNode,
  createAgentMemoryEdge,
  updateAgentMemoryNode,
  deleteAgentMemoryNode,
  updateAgentMemoryEdge,
  deleteAgentMemoryEdge,
];
