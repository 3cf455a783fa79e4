import { type JsonObject } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { parseNumber } from '../kit/values/numeric.ts';
import { platform } from './definition.ts';

type Call = NodeCall<z.output<typeof platform.params>>;

const MOST = 500;
const USUAL = 100;
const MOST_DAYS = 36_500;

export const runPlatform = implement(platform, async (call) => {
  const operation = call.params.heymOperation;
  switch (operation) {
    case 'listWorkflows':
      return { output: await listWorkflows(call) };
    case 'getWorkflow':
      return { output: await getWorkflow(call) };
    case 'countExecutions':
      return { output: await countExecutions(call) };
    default:
      return operation satisfies never;
  }
});

async function listWorkflows({ params, services }: Call): Promise<JsonObject> {
  const limit = readCount(params, 'heymLimit', { most: MOST, usual: USUAL });
  const { workflows, total } = await services.platform.listWorkflows(limit);
  return { workflows: workflows.map((workflow) => ({ ...workflow })), total };
}

async function getWorkflow({ params, services }: Call): Promise<JsonObject> {
  const found = await services.platform.workflow(requiredText(params, 'heymWorkflowId'));
  if (!found) throw unknownWorkflow();
  const { nodes, edges, ...workflow } = found;
  return {
    ...workflow,
    nodes: nodes.map((node) => ({ ...node })),
    edges: edges.map((edge) => ({ ...edge })),
  };
}

async function countExecutions({ params, services }: Call): Promise<JsonObject> {
  const workflow_id = requiredText(params, 'heymWorkflowId');
  const status = params.heymStatus.trim();
  const days = parseDays(params);
  const since_ms = days === undefined ? undefined : services.now() - days * DAY_MS;
  const by_status = await services.platform.countRuns({
    workflow_id,
    ...(status === '' ? {} : { status }),
    ...(since_ms === undefined ? {} : { since_ms }),
  });
  if (!by_status) throw unknownWorkflow();
  const total = Object.values(by_status).reduce((sum, count) => sum + count, 0);
  const since = since_ms === undefined ? null : new Date(since_ms).toISOString();
  return { workflow_id, total, by_status: { ...by_status }, since };
}

/** The same for what does not exist and for what others have, so that ids cannot be tried out. */
const unknownWorkflow = () =>
  refusedParam('heymWorkflowId', 'the workflow does not exist or is not shared with you');

function parseDays({ heymSinceDays }: Call['params']): number | undefined {
  const text = String(heymSinceDays).trim();
  if (text === '') return undefined;
  const days = parseNumber(text);
  if (days !== undefined && days > 0 && days <= MOST_DAYS) return days;
  throw refusedParam(
    'heymSinceDays',
    `must be a number of days up to ${MOST_DAYS}, not "${text.slice(0, 40)}"`,
  );
}
