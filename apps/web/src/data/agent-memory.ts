import {
  type AgentMemoryEdgeInput,
  type AgentMemoryNodeInput,
  createAgentMemoryEdge,
  createAgentMemoryNode,
  deleteAgentMemoryEdge,
  deleteAgentMemoryNode,
  readAgentMemory,
  updateAgentMemoryEdge,
  updateAgentMemoryNode,
} from '@millrace/contracts';
import { ApiError, api } from './api.ts';
import { answersTo, useChange, useEndpoint } from './endpoint.ts';

/** Whose memory it is: an agent on the canvas of a workflow. */
export interface MemoryPlace {
  readonly workflow_id: string;
  readonly node_id: string;
}

const params = ({ workflow_id, node_id }: MemoryPlace) => ({ id: workflow_id, node: node_id });

/** An agent that was just added is known to the server once the draft is saved. */
const SAVED_AFTER_MS = 1_500;
const MOST_LOOKS = 4;

export const useAgentMemory = (place: MemoryPlace) =>
  useEndpoint(
    readAgentMemory,
    { params: params(place) },
    {
      retry: (failures, error) => error instanceof ApiError && error.status === 404 && failures < MOST_LOOKS,
      retryDelay: SAVED_AFTER_MS,
    },
  );

/** Changes of a memory; what it holds then is read again. */
export const useMemoryChange = (place: MemoryPlace) =>
  useChange((change: () => Promise<unknown>) => change(), {
    renewsEvenIfRefused: [answersTo(readAgentMemory, { params: params(place) })],
  });

export const saveNode = (place: MemoryPlace, id: string | undefined, body: AgentMemoryNodeInput) =>
  id === undefined
    ? api(createAgentMemoryNode, { params: params(place), body })
    : api(updateAgentMemoryNode, { params: { id: place.workflow_id, memory_node_id: id }, body });

export const saveEdge = (place: MemoryPlace, id: string | undefined, body: AgentMemoryEdgeInput) =>
  id === undefined
    ? api(createAgentMemoryEdge, { params: params(place), body })
    : api(updateAgentMemoryEdge, { params: { id: place.workflow_id, memory_edge_id: id }, body });

export const removeNode = ({ workflow_id }: MemoryPlace, memory_node_id: string) =>
  api(deleteAgentMemoryNode, { params: { id: workflow_id, memory_node_id } });

export const removeEdge = ({ workflow_id }: MemoryPlace, memory_edge_id: string) =>
  api(deleteAgentMemoryEdge, { params: { id: workflow_id, memory_edge_id } });
