import type { JsonObject } from '@millrace/engine';

/** Something that an agent remembers. */
export type MemoryNode = {
  entity_name: string;
  entity_type: string;
  properties: JsonObject;
  /** From 0 to 1. */
  confidence: number;
};

/** How two of them are related, by their names. */
export type MemoryEdge = {
  source_entity_name: string;
  target_entity_name: string;
  relationship_type: string;
  confidence: number;
};

export type MemoryFacts = { nodes: MemoryNode[]; edges: MemoryEdge[] };

/** Whose memory it is: an agent on the canvas of a workflow, and a portal conversation where it is of that alone. */
export type MemoryPlace = { workflow_id: string; canvas_node_id: string; conversation_id?: string };

export type AgentMemory = MemoryFacts & {
  place: MemoryPlace;
  /** Label of its agent, or name of the workflow for one of another workflow. */
  name: string;
  permission: 'read' | 'write';
};

/** An agent that uses memories. */
export interface RememberingAgent {
  /** On the canvas of the run's workflow. */
  readonly id: string;
  /** Whether it has a memory of its own. */
  readonly keeps_own: boolean;
  /** Whether what visitors of a portal say stays within their conversation: all other memories are only read there. */
  readonly per_conversation: boolean;
}

/** The memories that agents keep between runs. */
export interface AgentMemories {
  /** Whether other agents share theirs with it. */
  isShared(agent_id: string): Promise<boolean>;
  /** The memories that it may read: its own first, when it keeps one. */
  read(agent: RememberingAgent): Promise<AgentMemory[]>;
  /**
   * Adds facts to a memory that it may write to; entities and relationships that are there are changed. Doing it again
   * changes nothing.
   *
   * @returns how many facts had no room
   */
  merge(agent: RememberingAgent, place: MemoryPlace, facts: MemoryFacts): Promise<number>;
}
