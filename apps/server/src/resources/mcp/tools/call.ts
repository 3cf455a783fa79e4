import type { McpToolResult } from '@millrace/contracts';
import type { Called } from '../../../execution/admission/call.ts';
import { describeOverLimit } from '../../../execution/admission/rate-limit.ts';
import { answerTokens } from '../../../execution/stream/answer-tokens.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import { isToken } from '../../../execution/stream/frames.ts';
import type { PublishedWorkflow } from '../../../execution/workflows/published-workflow.ts';
import type { Services } from '../../../services.ts';
import { mintSlot } from '../../file-intake/mint.ts';
import { argumentProblems } from './arguments.ts';
import { findTool } from './list.ts';
import type { ToolCall } from './read-run.ts';
import { readRun } from './read-run.ts';
import { outputsResult, RESULT_TOOL, textResult, toToolResult } from './tool-result.ts';

/** Keeps only the answer of what is written. */
function answerObserver({ version }: PublishedWorkflow, observer: RunObserver | undefined): RunObserver {
  const isAnswer = answerTokens(version.graph);
  return {
    takes_tokens: observer?.takes_tokens,
    frame: (frame) => {
      if (!isToken(frame) || isAnswer(frame)) observer?.frame(frame);
    },
    closed: (ended) => observer?.closed(ended),
  };
}

async function toResult(
  services: Services,
  called: Called,
  { request_id }: ToolCall,
): Promise<McpToolResult> {
  switch (called.kind) {
    case 'run': {
      const answer = await called.answer();
      const slot = await mintSlot(services, called, { answer, request_id });
      return slot ? outputsResult({ ...slot, execution_id: answer.run_id }, false) : toToolResult(answer);
    }
    case 'cached':
      return outputsResult(called.answer.outputs, false);
    case 'rate_limited':
      return textResult(describeOverLimit(called), true);
    default:
      return called satisfies never;
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
  const { principal, input: body, ip, cancelled } = call;
  const called = await services.execution.call(
    { workflow, principal, input: { headers: {}, query: {}, body }, client: { ip } },
    { left: () => cancelled, cancels: true, observer: answerObserver(workflow, call.observer) },
  );
  return toResult(services, called, call);
}
