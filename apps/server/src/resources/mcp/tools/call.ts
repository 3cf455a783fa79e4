import type { McpToolResult } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { Admitted, AdmittedRun } from '../../../execution/admission/admit.ts';
import type { McpPrincipal } from '../../../execution/admission/principal.ts';
import { runRefusal } from '../../../execution/admission/start-admitted.ts';
import type { Services } from '../../../execution/context.ts';
import type { RunAnswer } from '../../../execution/run/run-request.ts';
import { answerTokens } from '../../../execution/stream/answer-tokens.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import { isToken } from '../../../execution/stream/frames.ts';
import { mintedSlot, recordMinted } from '../../file-intake/mint.ts';
import type { Toolset } from '../queries.ts';
import { argumentProblems } from './arguments.ts';
import { findTool } from './list.ts';

export interface ToolCall {
  readonly principal: McpPrincipal;
  readonly toolset: Toolset;
  /** Address that limits count by (§8.1). */
  readonly ip: string;
  readonly request_id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Ends the run. */
  readonly cancelled: AbortSignal;
  readonly observer?: RunObserver | undefined;
}

const textResult = (text: string, isError: boolean): McpToolResult => ({
  content: [{ type: 'text', text }],
  isError,
});

const outputsResult = (outputs: JsonObject, isError: boolean): McpToolResult => ({
  ...textResult(JSON.stringify(outputs, null, 2), isError),
  structuredContent: outputs,
});

function resultOf({ status, outputs, run_id }: RunAnswer): McpToolResult {
  switch (status) {
    case 'success':
      return outputsResult(outputs, false);
    case 'error':
      return outputsResult(outputs, true);
    case 'pending':
      // The outputs hold the address at which a person decides; history shows the run under its id.
      return outputsResult({ status, execution_id: run_id, outputs }, false);
    case 'cancelled':
      return textResult('The run was cancelled', true);
    default:
      return status satisfies never;
  }
}

async function runTool(
  services: Services,
  admitted: AdmittedRun,
  { cancelled, observer, request_id }: ToolCall,
): Promise<McpToolResult> {
  const isAnswer = answerTokens(admitted.workflow.version.graph);
  const seen: RunObserver = {
    takes_tokens: observer?.takes_tokens,
    frame: (frame) => {
      if (!isToken(frame) || isAnswer(frame)) observer?.frame(frame);
    },
    closed: (ended) => observer?.closed(ended),
  };
  const handle = await services.execution.start.observed(admitted, () => cancelled, seen);
  const cancel = () => handle.cancel();
  if (cancelled.aborted) cancel();
  else cancelled.addEventListener('abort', cancel, { once: true });
  // What happens behind an early answer is the run's own matter; its failure is in the history.
  handle.finished.catch(() => undefined);
  try {
    const answer = await handle.answered;
    const slot = admitted.slot && mintedSlot(services, answer);
    if (!slot) return resultOf(answer);
    await recordMinted(services, { admitted, slot, request_id });
    return outputsResult({ ...slot, execution_id: answer.run_id }, false);
  } finally {
    cancelled.removeEventListener('abort', cancel);
  }
}

function answered(services: Services, admitted: Admitted, call: ToolCall): Promise<McpToolResult> {
  switch (admitted.kind) {
    case 'run':
      return runTool(services, admitted, call);
    case 'cached':
      return Promise.resolve(outputsResult(admitted.answer.outputs, false));
    case 'rate_limited': {
      const seconds = admitted.limit?.reset_seconds ?? 1;
      const text = `The rate limit of this workflow is exceeded; try again in ${seconds} seconds`;
      return Promise.resolve(textResult(text, true));
    }
    default:
      return admitted satisfies never;
  }
}

/**
 * Runs a tool in the name of the MCP user, source `MCP` (§6.3), through the same admission as every call.
 *
 * @returns undefined when the server offers no such tool
 * @throws AppError when the workflow cannot run, or this process has no room for it
 */
export async function callTool(services: Services, call: ToolCall): Promise<McpToolResult | undefined> {
  const tool = await findTool(services.database.db, call.toolset, call.name);
  const workflow = tool && (await services.execution.environment.workflows.published(tool.id));
  if (!workflow) return undefined;
  // A result and not an error of the protocol: models read results, and can call again with better arguments.
  const problems = argumentProblems(workflow.version.graph.document, call.input);
  if (problems.length > 0) return textResult(`The arguments do not fit: ${problems.join('; ')}`, true);
  const admitted = await services.execution.admit.call({
    workflow,
    principal: call.principal,
    input: { headers: {}, query: {}, body: call.input },
    client: { ip: call.ip },
  });
  try {
    return await answered(services, admitted, call);
  } catch (error) {
    throw runRefusal(error);
  }
}
