import type { CallHooks, ModelCaller } from '@millrace/models';
import type { NodeCall, StepCall } from '../../implement.ts';
import type { Credential, NodeBudget } from '../../services.ts';
import { createCaller } from '../integration/run-caller.ts';

type Call = Pick<NodeCall, 'services' | 'signal' | 'idempotency_key'>;

/** The run as the caller of a model. */
export const createModelCaller = (call: Call, { signal }: Pick<StepCall, 'signal'>): ModelCaller => ({
  ...createCaller(call, signal),
  mask: (value) => call.services.mask(value),
});

/** The part of a call that the budgets of a node and of its callers need. */
type Watched = Pick<NodeCall, 'services' | 'node' | 'params' | 'callers' | 'idempotency_key'>;

/** Keeps traces of the calls that a step of a node makes with a credential, and holds them to the budgets. */
export const watchCalls =
  (call: Watched, { name: step }: Pick<StepCall, 'name'>) =>
  ({ id, name }: Pick<Credential, 'id' | 'name'>): CallHooks => {
    const { services, node, idempotency_key } = call;
    const cause = {
      credential: { id, name },
      node: { id: node.id, label: node.label },
      step,
      execution_key: idempotency_key,
    };
    const budgets = collectBudgets(call);
    return {
      beforeCall: (planned) => services.requireBudget(planned, budgets),
      onCall: (made) => services.noteModelCall(made, cause),
    };
  };

/** Those of the nodes that called each other down to this one, and its own. */
export const collectBudgets = (call: Omit<Watched, 'services'>): readonly NodeBudget[] =>
  [...call.callers, call].flatMap(({ node, params, idempotency_key }) => {
    const amount_usd = params['maxCostUsd'];
    return typeof amount_usd === 'number'
      ? [{ label: node.label, execution_key: idempotency_key, amount_usd }]
      : [];
  });
