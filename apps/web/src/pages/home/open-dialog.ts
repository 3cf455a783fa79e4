import type { WorkflowSummary } from '@millrace/contracts';

/** Which dialog of the home page is open, and for which workflow. */
export type OpenDialog =
  | { kind: 'new' }
  | { kind: 'settings' | 'analysis_document' | 'move' | 'share' | 'template'; workflow: WorkflowSummary };
