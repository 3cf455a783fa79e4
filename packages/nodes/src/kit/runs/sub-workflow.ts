import type { NodeCall } from '../../implement.ts';
import type { SubWorkflowOutcome, SubWorkflowRequest } from '../../services.ts';
import { collectBudgets } from '../models/model-caller.ts';

type Call = Pick<NodeCall, 'step' | 'wait' | 'services' | 'node' | 'params' | 'callers' | 'idempotency_key'>;
type Paused = Extract<SubWorkflowOutcome, { kind: 'paused' }>;

/** Runs another workflow in steps of the node, and waits with it when it waits. `prefix` begins the names of the steps. */
export async function runSubWorkflow(
  call: Call,
  request: Omit<SubWorkflowRequest, 'signal' | 'budgets'>,
  prefix = '',
): Promise<SubWorkflowOutcome> {
  const outcome = await call.step<SubWorkflowOutcome>(`${prefix}run`, 'idempotent', ({ signal }) =>
    call.services.subWorkflow.run({ ...request, budgets: collectBudgets(call), signal }),
  );
  return outcome.kind === 'paused' ? waitForEnd(call, outcome, prefix) : outcome;
}

/** A sub-run that waits lets go of the run that has called it, too. */
async function waitForEnd(
  call: Call,
  { workflow_id, run_id }: Paused,
  prefix: string,
): Promise<SubWorkflowOutcome> {
  await call.wait(`${prefix}end`, {
    kind: 'child',
    child_run_id: run_id,
    payload: { workflow_id, status: 'pending', run_id },
    decisions: ['ended'],
  });
  return call.step<SubWorkflowOutcome>(`${prefix}result`, 'read', ({ signal }) =>
    call.services.subWorkflow.loadOutcome({ workflow_id, run_id, budgets: collectBudgets(call), signal }),
  );
}
