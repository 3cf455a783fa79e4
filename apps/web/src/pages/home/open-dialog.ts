import type { WorkflowSummary } from '@millrace/contracts';

/** Which dialog of the home page is open, and for which workflow. */
export type OpenDialog =
  | { kind: 'new' }
  | { kind: 'settings' | 'notes' | 'move' | 'share' | 'template'; workflow: WorkflowSummary };
