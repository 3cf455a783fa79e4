import type { MemoryFacts, MemoryPlace } from '@millrace/nodes/runtime';

/** A memory that the agent of a run may use, as a share of another workflow grants it. */
export interface SharedMemory {
  readonly place: MemoryPlace;
  readonly workflow_name: string;
  readonly permission: 'read' | 'write';
}

/** The memory of agents, as runs read and write it. */
export interface AgentMemoryStore {
  /** Memories that published workflows of the same owner share with the agent. */
  sharedWith(place: MemoryPlace): Promise<readonly SharedMemory[]>;
  read(place: MemoryPlace): Promise<MemoryFacts>;
  /** Resolves to how many facts had no room; all of them where the workflow or the conversation is gone. */
  merge(place: MemoryPlace, facts: MemoryFacts): Promise<number>;
}
