import type { McpTool, McpToolResult } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { isUuid } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import { answerOfRun } from '../../../execution/admission/answer-of-run.ts';
import type { McpPrincipal } from '../../../execution/admission/principal.ts';
import { TRIGGER_SOURCES } from '../../../execution/model/trigger-source.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import type { Services } from '../../../services.ts';
import { byIds, matchNodeTypes, namesOfTools, type Toolset } from '../queries.ts';
import { openResult, RESULT_TOOL, textResult, toToolResult } from './tool-result.ts';

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

/** Clients time out after about a minute. */
const LONGEST_WAIT_MS = 20_000;

/** Node types at which a run can wait longer than a call lasts. Sub-workflows may contain any of them. */
const WAITING_TYPES = [
  ...catalog.all.filter(({ traits }) => traits.only_waits).map(({ type }) => type),
  'agent',
  'execute',
];

export const RESULT_TOOL_ENTRY: McpTool = {
  name: RESULT_TOOL,
  title: 'Result of a run',
  description:
    'Gets the result of a run that another tool of this server answered as pending or running, by its execution_id. ' +
    'Answers after 20 seconds at the latest; while a person has not decided yet, the status stays pending.',
  inputSchema: {
    type: 'object',
    properties: { execution_id: { type: 'string', description: 'The execution_id of the earlier answer' } },
    required: ['execution_id'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** Whether a tool of the server can answer before its run has ended. */
export async function hasWaitingTools(db: Db, toolset: Toolset): Promise<boolean> {
  const [found] = await namesOfTools(db, toolset, matchNodeTypes(WAITING_TYPES)).limit(1);
  return found !== undefined;
}

const UNKNOWN = 'There is no run with this execution_id that a tool of this server has started in your name';

/** The result of a run that the caller started through a tool that this server still offers. */
export async function readRun(services: Services, call: ToolCall): Promise<McpToolResult> {
  const { execution_id } = call.input;
  if (typeof execution_id !== 'string')
    return textResult('The arguments do not fit: execution_id must be a text', true);
  const { execution } = services;
  const stored = isUuid(execution_id) ? await execution.journal.load(execution_id) : undefined;
  if (!stored) return textResult(UNKNOWN, true);
  const { workflow_id, actor_id, trigger_source } = stored.begin;
  const isOwn = trigger_source === TRIGGER_SOURCES.mcp && actor_id === call.principal.user_id;
  const [tool] = isOwn ? await namesOfTools(services.database.db, call.toolset, byIds([workflow_id])) : [];
  if (!tool) return textResult(UNKNOWN, true);
  const enough = AbortSignal.timeout(LONGEST_WAIT_MS);
  const left = AbortSignal.any([enough, call.cancelled]);
  try {
    const answer = await answerOfRun(execution, execution_id, { left, until: 'finished' });
    if (answer === undefined) return textResult(UNKNOWN, true);
    return answer === 'running' ? openResult('running', execution_id, {}) : toToolResult(answer);
  } catch (error) {
    if (left.aborted) return openResult('running', execution_id, {});
    throw error;
  }
}
