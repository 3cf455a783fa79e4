import type { PlatformReads } from '@millrace/nodes/runtime';
import type { NodeDeactivation } from '../run/environment.ts';

/** What runs ask about workflows, answered by the rules of that resource. */
export interface WorkflowRules {
  /** Whether the user may see and run the workflow (§5.8). */
  canSee(user_id: string, workflow_id: string): Promise<boolean>;
  /** Switches every node with the label off; returns their ids. */
  deactivateNodes(change: NodeDeactivation): Promise<readonly string[]>;
  /** What the user can see of workflows and their runs. */
  readsOf(user_id: string): PlatformReads;
}
