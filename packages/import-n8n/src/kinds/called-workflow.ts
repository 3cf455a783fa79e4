import type { JsonObject } from '@millrace/engine';
import { isTemplate } from '../expression/field.ts';
import type { Target } from './kind.ts';

/**
 * The workflow that a node calls, by its id in n8n: an import of several workflows finds it among them, any other asks for
 * it. Its name is not used, for another workflow may have it here.
 */
export function readCalledWorkflow(to: Target): JsonObject {
  const { params } = to;
  const id = params.text('workflowId');
  if (id === '' || isTemplate(id)) {
    to.say('Choose the workflow to execute', 'executeWorkflowId');
    return { executeWorkflowId: '' };
  }
  return { executeWorkflowId: id };
}
