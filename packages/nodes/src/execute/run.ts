import { type Failure, isJsonObject, type Json, type JsonObject, type NodeResult } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { beginsWithOutsideContent } from '../kit/runs/outside-content.ts';
import { runSubWorkflow } from '../kit/runs/sub-workflow.ts';
import { evaluated, mappedObject } from '../kit/values/mapped-object.ts';
import type { SubWorkflowOutcome } from '../services.ts';
import { execute } from './definition.ts';

type Call = NodeCall<z.output<typeof execute.params>>;

/** A workflow that calls itself ends here instead of filling the process. */
const MAX_DEPTH = 10;

export const runExecute = implement(execute, async (call) => {
  const { params, services, idempotency_key } = call;
  if (services.subWorkflow.depth >= MAX_DEPTH) {
    return failed({
      kind: 'limit',
      message: `Workflows call each other more than ${MAX_DEPTH} levels deep`,
      final: true,
    });
  }
  const outcome = await runSubWorkflow(call, {
    workflow_id: params.executeWorkflowId,
    ...readInput(call),
    wait: !params.executeDoNotWait,
    outside_content: beginsWithOutsideContent(call) || services.outsideContent.isReadInRun(),
    // Finds the sub-run that was already started, so that a crash never starts a second one.
    idempotency_key,
  });
  return toNodeResult(outcome);
});

function readInput({ params, node, first_input }: Call): { input: JsonObject; text?: string } {
  if (params.executeInputMappings.length > 0) {
    return { input: mappedObject(params.executeInputMappings, 'executeInputMappings') };
  }
  const written = node.data['executeInput'];
  if (written === undefined || written === null || written === '') return { input: asBody(first_input) };
  const value = evaluated(params.executeInput);
  const input = asBody(value);
  // Imported workflows pass an object as its JSON text, which is what most called workflows read.
  return value === input && !Object.hasOwn(input, 'text')
    ? { input, text: JSON.stringify(value) }
    : { input };
}

function asBody(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  return typeof value === 'string' ? { text: value } : { value };
}

function toNodeResult(outcome: SubWorkflowOutcome): NodeResult {
  switch (outcome.kind) {
    case 'finished': {
      const { workflow_id, status, outputs, execution_time_ms, outside_content = false } = outcome;
      const output = { workflow_id, status, outputs, execution_time_ms };
      return { output, ...(outside_content ? { metadata: { outside_content } } : {}) };
    }
    case 'dispatched':
      return { output: { status: 'dispatched', workflow_id: outcome.workflow_id } };
    case 'not_found':
      throw refusedParam('executeWorkflowId', 'the workflow does not exist or is not shared with you');
    case 'paused':
      return failed({ kind: 'internal', message: 'The executed workflow has not ended' });
    default:
      return outcome satisfies never;
  }
}

function failed(failure: Failure): NodeResult {
  return { failure };
}
