import type { Workflow } from '@millrace/contracts';
import { exportFileName, type WorkflowDocument } from '@millrace/engine';
import { saveText } from '../../lib/files/save-file.ts';

/** The workflow as it is on the canvas, as a file. */
export function downloadWorkflow(workflow: Workflow, { nodes, edges }: WorkflowDocument): void {
  const { name, description } = workflow;
  saveText(JSON.stringify({ name, description, nodes, edges }, null, 2), exportFileName(name));
}
