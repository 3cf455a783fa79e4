import type { CallHooks } from '@millrace/models';
import type { Budgets } from '../../ports/run/budgets.ts';
import type { TraceCause, TraceSecrets, Traces } from '../../ports/run/traces.ts';

/** Who watches calls of models that no run makes. */
export interface CallWatchers {
  readonly traces: Traces;
  readonly budgets: Budgets;
}

/** Holds calls to the budget of the person, and keeps their traces. */
export const watchCalls = (
  { traces, budgets }: CallWatchers,
  cause: TraceCause,
  secrets?: TraceSecrets,
): CallHooks => ({
  beforeCall: (call) => budgets.require(call, { user_id: cause.user_id }),
  onCall: (call) => traces.note(call, cause, secrets),
});
