import type { Json, JsonObject } from '@millrace/engine';
import { DuplicateRun, Fenced, JournalUnavailable, OwnershipLost } from '../../model/errors.ts';
import type { RunAnswer } from '../../model/run.ts';
import type { RunObserver } from '../../stream/frame-log.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import type { RunSecretsMask } from '../secrets/secrets-mask.ts';

/** A run above this one: it waits for us, and its end is our end. */
export interface ParentRun {
  readonly run_id: string;
  /** The run at the top of all that called each other. */
  readonly root_run_id: string;
  /** How many Execute Workflow nodes are above the new run. */
  readonly depth: number;
  readonly signal?: AbortSignal;
  /** Secrets that it knows and hands on; hidden here too. */
  readonly secrets?: RunSecretsMask;
}

/** The request that starts a run, for every kind of source. */
export interface RunRequest {
  /** Made with `newOrderedId`, for a caller that has to know it before the run starts; absent: a new one. */
  readonly run_id?: string | undefined;
  readonly workflow: PublishedWorkflow;
  readonly input: Json;
  /** Label of §6.3; null when the source is unset. */
  readonly trigger_source: string | null;
  /** Start node that the occurrence belongs to; absent: all start nodes run. */
  readonly trigger_node_id?: string | undefined;
  /** Whose credentials and global variables the run uses. */
  readonly run_as: string;
  readonly test_run?: boolean | undefined;
  /** Id of the node at which it ends; absent: the whole workflow runs. */
  readonly until?: string | undefined;
  /** Of the runs that it shares places with (`PlaceGroup`). */
  readonly place_key?: string | undefined;
  /** Unique per workflow. */
  readonly idempotency_key?: string | undefined;
  /** Stored with the run, so that it continues the same way on another process. */
  readonly options?: JsonObject | undefined;
  readonly parent?: ParentRun | undefined;
  /** Sees every frame of the run from the first one on, in order. */
  readonly observer?: RunObserver | undefined;
}

/** Starts an admitted run in this process; `startRun` says when without a promise. */
export type StartRun = (request: RunRequest) => RunHandle | Promise<RunHandle>;

export interface RunHandle {
  readonly run_id: string;
  /** At the end of the run, or earlier when an output node answers early; durable by then. */
  readonly answered: Promise<RunAnswer>;
  /** At the durable end. */
  readonly finished: Promise<RunAnswer>;
  /** At the end: the outputs with nothing hidden, for the run above, which hides the same from then on. */
  outputsFor(parent: RunSecretsMask): JsonObject | undefined;
  /** Whether it has read content from outside so far, or began with it. */
  readonly has_read_outside: boolean;
  cancel(): void;
}

/** This process stops working on the run; another continues it. */
export class RunHandedOver extends Error {
  readonly run_id: string;
  constructor(run_id: string) {
    super(`run ${run_id} continues on another process`);
    this.name = 'RunHandedOver';
    this.run_id = run_id;
  }
}

/** The run continues on another process, was taken over, or nothing can be stored: none of these is the node's failure. */
export function stopsTheRun(error: unknown): error is Error {
  return (
    error instanceof RunHandedOver ||
    error instanceof Fenced ||
    error instanceof OwnershipLost ||
    error instanceof DuplicateRun ||
    error instanceof JournalUnavailable
  );
}
