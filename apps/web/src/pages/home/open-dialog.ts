import type { WorkflowSummary } from '@millrace/contracts';
import type { ImportReport } from './import/report-dialog.tsx';

/** Which dialog of the home page is open, and for which workflow. */
export type OpenDialog =
  | { kind: 'new' }
  | { kind: 'report'; report: ImportReport }
  | { kind: 'settings' | 'analysis_document' | 'move' | 'share' | 'template'; workflow: WorkflowSummary };
