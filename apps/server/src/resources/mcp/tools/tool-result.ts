import type { McpToolResult } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { RunAnswer } from '../../../execution/model/run.ts';

/** Name of the tool that reads the result of a run that was still open. A workflow with that name gets another tool name. */
export const RESULT_TOOL = 'get_run_result';

export const textResult = (text: string, isError: boolean): McpToolResult => ({
  content: [{ type: 'text', text }],
  isError,
});

export const outputsResult = (outputs: JsonObject, isError: boolean): McpToolResult => ({
  ...textResult(JSON.stringify(outputs, null, 2), isError),
  structuredContent: outputs,
});

/** The result of a run that has not ended, with instructions for getting the final one. */
export function openResult(
  status: 'pending' | 'running',
  run_id: string,
  outputs: JsonObject,
): McpToolResult {
  const result = outputsResult({ status, execution_id: run_id, outputs }, false);
  const reason = status === 'pending' ? 'The run waits' : 'The run has not ended';
  const text = `${reason}. Call the tool ${RESULT_TOOL} with {"execution_id": "${run_id}"} later to get its result.`;
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

export function toToolResult({ status, outputs, run_id }: RunAnswer): McpToolResult {
  switch (status) {
    case 'success':
      return outputsResult(outputs, false);
    case 'error':
      return outputsResult(outputs, true);
    case 'pending':
      // The outputs contain the review URL.
      return openResult(status, run_id, outputs);
    case 'cancelled':
      return textResult('The run was cancelled', true);
    default:
      return status satisfies never;
  }
}
