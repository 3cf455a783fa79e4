import type { Json } from '@millrace/engine';
import type { HttpInput } from '../model/http-input.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import type { NowOrLater } from '../workflows/workflow-cache.ts';
import type { CallerPrincipal, InternalPrincipal, Principal, UserPrincipal } from './principal.ts';
import type { LimitAnswer } from './rate-limit.ts';
import type { CachedAnswer } from './response-cache.ts';

export interface IdempotencyKey {
  /** As stored: keys of callers cannot meet those that nodes make. */
  readonly key: string;
  /** Of body and query: the same key with another request is a mistake. */
  readonly request_hash: string;
}

/** Facts that a caller states about a call, beside its input. */
export interface Client {
  /** Address that limits count by (§8.1). */
  readonly ip: string;
  /** History label that the caller chose (§4.1 rule 4). */
  readonly trigger_source?: string | undefined;
  /** §4.1 rule 2. */
  readonly test_run?: boolean;
  /** Compute the answer anew, and keep it; only people with access may ask for that. */
  readonly fresh?: boolean;
  /** The workflow is what the editor saved last, to be tried before it is published. */
  readonly draft?: boolean;
  /** Id of the node of the draft at which the run is to end. */
  readonly until?: string | undefined;
  /** As the caller gave it. */
  readonly idempotency_key?: string | string[] | undefined;
}

export interface CallRequest {
  readonly workflow: PublishedWorkflow;
  readonly principal: CallerPrincipal;
  /** The value that expressions read as `$input`. */
  readonly input: HttpInput;
  readonly client: Client;
}

/** A person starts a run with what an earlier one was given. */
export interface ReplayRequest {
  readonly workflow: PublishedWorkflow;
  readonly principal: UserPrincipal;
  /** As history shows it; it does not depend on what started the earlier run. */
  readonly input: Json;
  readonly client: Client;
}

/** No client: what starts runs from inside is neither limited nor answered from the cache. */
export interface InternalRequest {
  readonly workflow: PublishedWorkflow;
  readonly principal: InternalPrincipal;
  readonly input: Json;
}

interface Admission {
  readonly workflow: PublishedWorkflow;
  readonly principal: Principal;
  /** Whose credentials and global variables the run uses. */
  readonly run_as: string;
  readonly input: Json;
  /** Label of §6.3; null where the specification leaves it unset. */
  readonly trigger_source: string | null;
}

/** A run that may start, in this process or from the queue. */
export interface AdmittedRun extends Admission {
  readonly kind: 'run';
  /** Set by a caller that has to know it before the run starts. */
  readonly run_id?: string;
  /** Portal conversation that keeps the call. */
  readonly conversation_id?: string;
  readonly test_run: boolean;
  /** Set when the workflow has a limit that applies to the call. */
  readonly limit: LimitAnswer | undefined;
  /** Where a success is kept; absent without a response cache. */
  readonly cache_key: string | undefined;
  readonly idempotency: IdempotencyKey | undefined;
  /** Id of the node at which it ends; undefined for a run of the whole workflow. */
  readonly until: string | undefined;
  /** Of the runs that it shares places with (`PlaceGroup`). */
  readonly place_key: string;
  /** Set when the run begins with a slot for a file (§4.3): its first answer is where the file is sent to. */
  readonly slot: RequestedSlot | undefined;
}

/** Who has asked for an upload slot. */
export interface RequestedSlot {
  readonly asked_by: Principal;
  readonly client_ip: string;
}

/** Answered without a run. */
export interface Answered extends Admission {
  readonly limit: LimitAnswer | undefined;
  readonly run_id: string;
}

export interface AdmittedFromCache extends Answered {
  readonly kind: 'cached';
  readonly answer: CachedAnswer;
}

export interface RateLimited extends Answered {
  readonly kind: 'rate_limited';
}

/** The outcome of a call. */
export type Admitted = AdmittedRun | AdmittedFromCache | RateLimited;

/**
 * Decides whether a run may start; no run starts without it. It starts none itself: `Call` and `StartRun` do so in
 * this process, `Ownership` queues.
 */
export interface Admit {
  /**
   * A call from outside: rate limit, response cache and idempotency key apply (§4.1, §8.1).
   *
   * @throws AppError when the workflow cannot run, or the caller may not ask for what it asks
   */
  call(request: CallRequest): Promise<Admitted>;
  /**
   * The same for a replay, which is never answered from the cache, and needs no file where its earlier run has one.
   *
   * @throws AppError as `call`
   */
  replay(request: ReplayRequest): Promise<AdmittedRun | RateLimited>;
  /**
   * A run that a trigger, another run, a board or a reviewer's decision starts. A graph that cannot run is admitted: its failed run
   * in history is what tells the owner.
   *
   * @throws AppError `not_found` when the principal may not see the workflow; for a board also `conflict` when the workflow
   * is switched off
   */
  internal(request: InternalRequest): NowOrLater<AdmittedRun>;
}
