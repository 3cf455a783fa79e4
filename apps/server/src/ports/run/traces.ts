import type { TraceSource } from '@millrace/contracts';
import type { ModelCallNote } from '@millrace/models';

/** The purpose of a call of a model. */
export interface TraceCause {
  /** Person in whose name the model was asked; the trace is theirs. */
  readonly user_id: string;
  readonly source: TraceSource;
  readonly credential: { readonly id: string; readonly name: string } | null;
  readonly workflow?: { readonly id: string; readonly name: string } | undefined;
  readonly run_id?: string | undefined;
  readonly node?: { readonly id: string; readonly label: string } | undefined;
  readonly step?: string | undefined;
  /** Idempotency key of the node: those of the nodes that called it begin it. */
  readonly execution_key?: string | undefined;
  /** Budgets above `run_id` that count the call, too: ids of runs, and idempotency keys of nodes in them. */
  readonly budget_ids?: readonly string[] | undefined;
}

/** Secrets that must not be found in a trace. */
export interface TraceSecrets {
  /** Hides the secrets of a run; absent: those of all credentials of the person are hidden. */
  readonly mask?: (<T>(value: T) => T) | undefined;
  /** Further secrets. */
  readonly secrets?: Iterable<string> | undefined;
}

/** Where calls of models leave their traces. */
export interface Traces {
  /** Stores the trace behind the call: never fails, never waits. A trace that cannot be stored is dropped, and the log says so. */
  note(call: ModelCallNote, cause: TraceCause, secrets?: TraceSecrets): void;
  /** Resolves when what was noted so far is stored or dropped. */
  flush(): Promise<void>;
}
