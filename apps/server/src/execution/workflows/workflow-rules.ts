import type { OwnEvent, PlatformReads, PublishedEvent } from '@millrace/nodes/runtime';

export interface NodeDeactivation {
  readonly workflow_id: string;
  readonly label: string;
  readonly user_id: string;
  /** The run is of a draft, which it tries out: what is published stays as it is. */
  readonly is_draft: boolean;
}

/** An event that a run publishes, and whom it is for. */
export interface RunOwnEvent extends OwnEvent {
  readonly owner_id: string;
  readonly workflow_id: string;
  /** The same key is one event. */
  readonly key: string;
}

/** Questions that runs ask about workflows, answered by the rules of that resource. */
export interface WorkflowRules {
  /** Whether the user may see and run the workflow (§5.8). */
  canSee(user_id: string, workflow_id: string): Promise<boolean>;
  /** Switches every node with the label off; returns their ids. */
  deactivateNodes(change: NodeDeactivation): Promise<readonly string[]>;
  /** Reads of workflows and their runs, limited to what the user can see. */
  createReads(user_id: string): PlatformReads;
  /** Publishes an event of a run to workflows. */
  publishEvent(event: RunOwnEvent): Promise<PublishedEvent>;
}
