import type { McpToolResult } from '@millrace/contracts';
import type { Admitted, AdmittedRun } from '../../../execution/admission/admission.ts';
import { runRefusal } from '../../../execution/admission/start/start-admitted.ts';
import { answerTokens } from '../../../execution/stream/answer-tokens.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import { isToken } from '../../../execution/stream/frames.ts';
import type { Services } from '../../../services.ts';
import { mintedSlot, recordMinted } from '../../file-intake/mint.ts';
import { argumentProblems } from './arguments.ts';
import { findTool } from './list.ts';
import type { ToolCall } from './read-run.ts';
import { readRun } from './read-run.ts';
import { outputsResult, RESULT_TOOL, textResult, toToolResult } from './tool-result.ts';

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
  // Everything that happens behind an early answer is the run's own matter; its failure is in the history.
  handle.finished.catch(() => undefined);
  try {
    const answer = await handle.answered;
    const slot = admitted.slot && mintedSlot(services, answer);
    if (!slot) return toToolResult(answer);
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
  const workflow = tool && (await services.execution.workflows.published(tool.id));
  if (!workflow) return call.name === RESULT_TOOL ? readRun(services, call) : undefined;
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
