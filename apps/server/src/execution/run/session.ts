import { setMaxListeners } from 'node:events';
import {
  drive,
  type Failure,
  type Json,
  type JsonObject,
  type NodeFinished,
  type NodeRetried,
  type NodeSuspended,
  type NodeTask,
  type Outcome,
  type OutputEmitted,
  type RunEvent,
  type RunFinished,
  type RunHost,
  RunMachine,
  type RunOptions,
  type Wait,
} from '@millrace/engine';
import type { IntentRecord, RunBegin } from '../journal/journal.ts';
import { FrameLog, type RunObserver } from '../stream/frame-log.ts';
import type { StampedRecord } from '../stream/frames.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { type Deferred, deferred } from './deferred.ts';
import { endRun } from './end-run.ts';
import type { RunEnvironment } from './environment.ts';
import { runNode } from './node/run-node.ts';
import type { Progress } from './resume.ts';
import { type RunAnswer, RunHandedOver, type RunHandle, stopsTheRun } from './run-request.ts';
import { RunSlot } from './run-slot.ts';
import type { RunSecretsMask } from './secrets.ts';
import { nextTurn, sleep } from './sleep.ts';

/** How long a run of pure nodes may keep the event loop before others get a turn. */
const SLICE_MS = 10;
const STEPS_BETWEEN_LOOKS = 64;
const MAX_PARALLEL_NODES = 64;

/** Everything that a session needs to know before its first step. */
export interface SessionStart {
  readonly environment: RunEnvironment;
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly run_as: string;
  readonly options: RunOptions;
  readonly secrets: RunSecretsMask;
  readonly observer?: RunObserver | undefined;
  /** What a former process did of the run; absent for a new one. */
  readonly progress?: Progress | undefined;
  readonly parent_signal?: AbortSignal | undefined;
}

/** A write that becomes a global variable when the run ends. */
export interface GlobalWrite {
  readonly name: string;
  readonly value: Json;
}

const TIMED_OUT: Failure = { kind: 'timeout', message: 'The workflow ran longer than it may', final: true };

/**
 * One run on this process: drives the machine, hands its facts to the journal and shows them to observers. A run of pure
 * nodes ends in its first synchronous stretch and becomes one journal row; only a run that has to wait is begun, listed
 * and can be cancelled.
 */
export class RunSession implements RunHandle, RunHost {
  readonly environment: RunEnvironment;
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly run_as: string;
  readonly secrets: RunSecretsMask;
  readonly slot: RunSlot;
  readonly max_parallel = MAX_PARALLEL_NODES;
  readonly frames: FrameLog;
  readonly suspended: NodeSuspended[] = [];
  readonly global_writes: GlobalWrite[] = [];
  readonly #steps: Generator<RunEvent | Wait, void, void>;
  readonly #progress: Progress | undefined;
  readonly #answered: Deferred<RunAnswer> = deferred();
  readonly #finished: Deferred<RunAnswer> = deferred();
  #early: RunAnswer | undefined;
  #outcome: RunFinished | undefined;
  #is_begun = false;
  #abort: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #parent_signal: AbortSignal | undefined;
  #stop: Failure | boolean = false;
  #given_up: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(start: SessionStart) {
    this.environment = start.environment;
    this.workflow = start.workflow;
    this.begin = start.begin;
    this.run_as = start.run_as;
    this.secrets = start.secrets;
    this.slot = new RunSlot(start.environment.live, start.begin.workflow_id);
    this.#progress = start.progress;
    this.#parent_signal = start.parent_signal;
    this.frames = new FrameLog({
      run_id: start.begin.run_id,
      messages: start.workflow.settings.sse_node_config,
      started_at_ms: start.begin.started_at_ms,
      observer: start.observer,
      resumed: start.progress,
    });
    const machine = new RunMachine(start.workflow.version.graph, start.options);
    this.#steps = drive(machine, this);
  }

  get run_id(): string {
    return this.begin.run_id;
  }

  get workflow_id(): string {
    return this.begin.workflow_id;
  }

  get root_run_id(): string {
    return this.begin.root_run_id ?? this.begin.run_id;
  }

  get depth(): number {
    return this.begin.depth;
  }

  get answered(): Promise<RunAnswer> {
    return this.#answered.promise;
  }

  get finished(): Promise<RunAnswer> {
    return this.#finished.promise;
  }

  get outputs_for_parent(): JsonObject | undefined {
    return this.#outcome && this.secrets.maskForParent(this.#outcome.outputs);
  }

  /** Rows so far. */
  get records(): readonly StampedRecord[] {
    return this.frames.records;
  }

  /** Ends when the run does: whatever a node waits for must let go then. */
  get signal(): AbortSignal {
    this.#abort ??= this.#createAbort();
    return this.#abort.signal;
  }

  #createAbort(): AbortController {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    if (this.#stop !== false || this.#given_up) controller.abort(this.#given_up);
    return controller;
  }

  /** Runs until the end or the first wait, synchronously; goes on by itself from there. */
  run(): this {
    const waits = this.#advance();
    if (waits) void this.#goOn(waits);
    else if (this.#outcome) this.#end(this.#outcome);
    return this;
  }

  cancel(): void {
    this.#interrupt(true);
  }

  /** Stops without an outcome: the run goes on elsewhere, from its last durable fact. */
  handOver(): void {
    this.fail(new RunHandedOver(this.run_id));
  }

  /** Stops without an outcome, because nothing can be stored or the run belongs to somebody else. */
  fail(error: Error): void {
    if (this.#given_up || this.#finished.is_settled) return;
    this.#given_up = error;
    this.#close();
    // What is not held here any more goes back to the queue.
    if (this.#is_begun) this.environment.journal.forget(this.run_id);
    this.frames.close();
    // Somebody may wait for one, for both or for none of them.
    this.#answered.reject(error);
    this.#finished.reject(error);
  }

  /** Makes the run known to the journal and to this process; from here on facts are handed over as they come. */
  open(): void {
    if (this.#is_begun) return;
    this.#is_begun = true;
    const { journal, live } = this.environment;
    live.add(this);
    this.#watchLimits();
    if (!this.#progress) {
      journal.begin(this.begin).durable.catch((error: Error) => this.fail(error));
      for (const record of this.frames.open()) journal.record(this.run_id, record);
    } else {
      this.frames.open();
    }
    if (this.#early) this.#answerWhenDurable(this.#early);
  }

  /** Adds a row that came to be while no process worked on the run. */
  adopt(row: NodeFinished): void {
    this.#record(row);
  }

  get is_begun(): boolean {
    return this.#is_begun;
  }

  /** When the node of this round first began, also on a process before this one. */
  firstStart(task: NodeTask): number {
    return this.#progress?.firstStart(task.node.id, task.iteration) ?? task.started_at_ms;
  }

  /** Leaves word of a start, without waiting for it to be stored. */
  noteStart(intent: IntentRecord): void {
    if (!this.#is_begun || this.#given_up || this.#finished.is_settled) return;
    this.environment.journal.intend(this.run_id, intent).catch((error: Error) => this.fail(error));
  }

  // What the driver asks for.

  runNode(task: NodeTask) {
    return this.slot.during(runNode(this, task));
  }

  sleep(ms: number): Promise<'done' | 'cancelled'> {
    return this.slot.during(this.slot.whileWaiting(sleep(ms, this.signal)));
  }

  now(): number {
    return this.environment.now();
  }

  cancelled(): boolean | Failure {
    if (this.#stop !== false) return this.#stop;
    const { deadline_at_ms } = this.begin;
    return deadline_at_ms !== null && this.environment.now() >= deadline_at_ms ? TIMED_OUT : false;
  }

  recorded(node_id: string, iteration: string) {
    return this.#progress?.recorded(node_id, iteration);
  }

  crashed(error: unknown, task: NodeTask): void {
    // What a node waited for let go because the run ended; libraries have many words for that.
    if (this.#stop !== false || this.#given_up || this.#finished.is_settled) return;
    const { run_id, workflow_id } = this;
    this.environment.log.error(
      { err: error, run_id, workflow_id, node_type: task.node.type },
      'node crashed',
    );
  }

  /** The next wait, `true` when it is only time to let others have a turn, undefined at the end. */
  #advance(): Promise<void> | undefined {
    const slice_ends = performance.now() + SLICE_MS;
    for (let steps = 1; ; steps++) {
      const next = this.#steps.next();
      if (next.done === true) return undefined;
      if (next.value.type === 'wait') return next.value.until;
      this.#take(next.value);
      if (steps % STEPS_BETWEEN_LOOKS === 0 && performance.now() > slice_ends) return nextTurn();
    }
  }

  async #goOn(first: Promise<void>): Promise<void> {
    try {
      this.open();
      for (let waits: Promise<void> | undefined = first; waits; waits = this.#advance()) {
        await this.#until(waits);
        if (this.#given_up) return;
      }
      if (this.#outcome) this.#end(this.#outcome);
    } catch (error) {
      this.environment.log.error({ err: error, run_id: this.run_id }, 'run crashed');
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #until(waits: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      void waits.then(resolve);
      if (this.#given_up) resolve();
    });
  }

  #take(event: RunEvent): void {
    switch (event.type) {
      case 'run_started':
        return;
      case 'node_started':
        return this.frames.started(event);
      case 'node_retried':
      case 'node_finished':
        return this.#record(event);
      case 'node_suspended':
        this.suspended.push(event);
        return;
      case 'output_emitted':
        return this.#answerEarly(event);
      case 'run_finished':
        this.#outcome = event;
        return;
      default:
        return event satisfies never;
    }
  }

  #record(event: NodeFinished | NodeRetried): void {
    if (event.type === 'node_finished') {
      for (const { name, value, is_global } of event.variables ?? []) {
        if (is_global) this.global_writes.push({ name, value });
      }
    }
    const masked = this.secrets.mask(event);
    const answers = event.type === 'node_finished' && this.#answersEarly(event);
    const record = this.frames.record(masked, { is_masked: masked !== event, answers_early: answers });
    if (this.#is_begun) this.environment.journal.record(this.run_id, record);
  }

  #answersEarly({ node_id, status }: NodeFinished): boolean {
    if (status !== 'success' || this.#early) return false;
    const { graph } = this.workflow.version;
    const node = graph.nodes[graph.indexOf(node_id)];
    return node?.answers_early === true && node.flow === 'main';
  }

  #answerEarly(event: OutputEmitted): void {
    const outputs: JsonObject = { [event.node_label]: this.secrets.mask(event.output) };
    const execution_time_ms = Math.round(this.environment.now() - this.begin.started_at_ms);
    this.#early = this.answer({ status: 'success', outputs, shape: 'labels' }, execution_time_ms);
    if (this.#is_begun) this.#answerWhenDurable(this.#early);
  }

  #answerWhenDurable(answer: RunAnswer): void {
    this.environment.journal.barrier(this.run_id).then(
      () => this.#answered.resolve(answer),
      (error: Error) => this.fail(error),
    );
  }

  answer(
    outcome: Pick<Outcome, 'status' | 'outputs' | 'shape' | 'http_status'>,
    execution_time_ms: number,
  ): RunAnswer {
    const { status, outputs, shape, http_status } = outcome;
    const { run_id, workflow_id, records } = this;
    return { run_id, workflow_id, status, outputs, shape, http_status, execution_time_ms, records };
  }

  #end(finished: RunFinished): void {
    this.#close(false);
    endRun(this, finished).then(this.#tellEnd, (error: Error) => this.fail(error));
  }

  readonly #tellEnd = (answer: RunAnswer): void => {
    if (this.#is_begun) this.environment.live.remove(this);
    this.#answered.resolve(this.#early ?? answer);
    this.#finished.resolve(answer);
  };

  #interrupt(reason: Failure | true): void {
    if (this.#stop !== false || this.#given_up || this.#finished.is_settled) return;
    this.#stop = reason;
    this.#abort?.abort();
    this.#wake?.();
  }

  /** A parent that goes on elsewhere finds this run again, so it must go on too and not end as cancelled. */
  readonly #onParentEnd = (): void => {
    if (stopsTheRun(this.#parent_signal?.reason)) this.handOver();
    else this.cancel();
  };

  #watchLimits(): void {
    const { deadline_at_ms } = this.begin;
    if (deadline_at_ms !== null) {
      const left = Math.min(Math.max(0, deadline_at_ms - this.environment.now()), 2 ** 31 - 1);
      this.#timer = setTimeout(() => this.#interrupt(TIMED_OUT), left);
      this.#timer.unref();
    }
    if (this.#parent_signal?.aborted) this.#onParentEnd();
    else this.#parent_signal?.addEventListener('abort', this.#onParentEnd, { once: true });
  }

  /** Lets go of everything that could still act on the run. */
  #close(removes = true): void {
    clearTimeout(this.#timer);
    this.#parent_signal?.removeEventListener('abort', this.#onParentEnd);
    this.#parent_signal = undefined;
    this.#abort?.abort(this.#given_up);
    if (removes) this.environment.live.remove(this);
    this.#wake?.();
  }
}
