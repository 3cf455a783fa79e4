import { isJsonObject, type JsonObject, readText } from '@millrace/engine';
import { isTemplate } from '../expression/field.ts';
import type { Target } from './kind.ts';

/**
 * The workflow that a node calls, by its id and name in n8n: an import of several files finds it among them, any other
 * asks for it.
 */
export function readCalledWorkflow(to: Target): JsonObject {
  const { params } = to;
  const chosen = params.get('workflowId');
  const id = params.text('workflowId');
  if (id === '' || isTemplate(id)) {
    to.say('Choose the workflow to execute', 'executeWorkflowId');
    return { executeWorkflowId: '' };
  }
  const name = isJsonObject(chosen) ? readText(chosen['cachedResultName']) : '';
  return { executeWorkflowId: id, ...(name === '' ? {} : { targetWorkflowName: name }) };
}
