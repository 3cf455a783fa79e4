import {
  drive,
  type Failure,
  type JsonObject,
  type NodeStarted,
  type NodeTask,
  type PausedNode,
  type RunHost,
  RunMachine,
  type StepResult,
} from '@millrace/engine';
import type { GrowingText } from '@millrace/nodes/runtime';
import type { RunAnswer, RunBegin } from '../../model/run.ts';
import type { IntentRecord, StepRecord } from '../../model/step.ts';
import type { RunObserver } from '../../stream/frame-log.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import { type Deferred, deferred } from '../deferred.ts';
import type { Executor } from '../executor.ts';
import type { LiveRun } from '../live-runs.ts';
import type { NodeNeeds } from '../node/node-needs.ts';
import { RunCallHost } from '../node/run-call-host.ts';
import type { RunCalls } from '../node/run-calls.ts';
import { runNode } from '../node/run-node.ts';
import { RunSteps } from '../node/steps/run-steps.ts';
import { ReadContent, ReturnedContent } from '../outside-content.ts';
import type { RunKeeping } from '../run-keeping.ts';
import type { RunSecretsMask } from '../secrets/secrets-mask.ts';
import { sleep } from '../sleep.ts';
import type { Progress } from '../start/resume.ts';
import { RunHandedOver } from '../start/run-request.ts';
import { endRun } from './end-run.ts';
import { EventRecorder, type RecorderHost } from './event-recorder.ts';
import { RunDriver } from './run-driver.ts';
import { RunLimits } from './run-limits.ts';
import { RunSlot } from './run-slot.ts';
import type { RunStart } from './run-start.ts';

const MAX_PARALLEL_NODES = 64;

/**
 * One run on this process: drives the machine, hands its facts to the journal and shows them to observers. A run of pure
 * nodes ends in its first synchronous stretch and becomes one journal row; only a run that has to wait is begun, listed
 * and can be cancelled.
 */
export class RunExecutor implements Executor, LiveRun, RunHost, RecorderHost {
  readonly keeping: RunKeeping;
  readonly calls: RunCalls;
  readonly nodes: NodeNeeds;
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly run_as: string;
  readonly secrets: RunSecretsMask;
  /** The progress that a former process made on the run; absent for a new one. */
  readonly progress: Progress | undefined;
  readonly slot: RunSlot;
  readonly steps: RunSteps;
  readonly recorder: EventRecorder;
  readonly call_host = new RunCallHost(this);
  readonly max_parallel = MAX_PARALLEL_NODES;
  readonly #machine: RunMachine;
  readonly #limits: RunLimits;
  readonly #driver: RunDriver;
  readonly #answered: Deferred<RunAnswer> = deferred();
  readonly #finished: Deferred<RunAnswer> = deferred();
  #early: RunAnswer | undefined;
  #given_up: Error | undefined;
  #returned_content: ReturnedContent | undefined;
  #read_content: ReadContent | undefined;

  constructor(start: RunStart) {
    this.keeping = start.keeping;
    this.calls = start.calls;
    this.nodes = start.nodes;
    this.workflow = start.workflow;
    this.begin = start.begin;
    this.run_as = start.run_as;
    this.secrets = start.secrets;
    this.progress = start.progress;
    this.slot = new RunSlot(start.keeping.live, start.begin.workflow_id);
    this.#machine = new RunMachine(start.workflow.version.graph, start.options);
    this.#driver = new RunDriver(drive(this.#machine, this));
    this.#limits = new RunLimits({
      now: start.keeping.now,
      deadline_at_ms: start.begin.deadline_at_ms,
      parent_signal: start.parent_signal,
      onStop: this.#driver.wake,
      onHandOver: () => this.handOver(),
    });
    this.steps = new RunSteps(start, this.#machine, this.#driver.wake);
    this.recorder = new EventRecorder(start, this.steps, this);
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

  get records(): readonly StepRecord[] {
    return this.recorder.records;
  }

  get running(): readonly NodeStarted[] {
    return this.recorder.frames.running;
  }

  observe(observer: RunObserver): () => void {
    return this.recorder.frames.observe(observer);
  }

  lookAtWaits(): void {
    this.steps.waits.look();
  }

  outputsFor(parent: RunSecretsMask): JsonObject | undefined {
    parent.add(this.secrets.values);
    return this.recorder.finished?.outputs;
  }

  /** Made for the first node that asks: most runs start no others. */
  get returned_content(): ReturnedContent {
    return (this.#returned_content ??= new ReturnedContent(() => this.records));
  }

  get has_read_outside(): boolean {
    this.#read_content ??= new ReadContent(this.begin, this.workflow, () => this.records);
    return this.#read_content.isRead;
  }

  /** Aborted when the run ends: anything a node waits for must stop then. */
  get signal(): AbortSignal {
    return this.#limits.signal;
  }

  /** Ended or given up: nothing may change the run any more. */
  get #is_over(): boolean {
    return this.#given_up !== undefined || this.#finished.is_settled;
  }

  /** Runs until the end or the first wait, synchronously; continues by itself from there. */
  run(): this {
    const waits = this.#driver.advance(this.recorder);
    if (waits) void this.#continue(waits);
    else this.#end();
    return this;
  }

  cancel(): void {
    if (!this.#is_over) this.#limits.stop(true);
  }

  /** The run ends with this error before another node begins. */
  stop(failure: Failure): void {
    if (!this.#is_over) this.#limits.stop(failure);
  }

  /** Stops without an outcome: the run continues elsewhere, from its last durable fact. */
  handOver(): void {
    this.fail(new RunHandedOver(this.run_id));
  }

  /** Stops without an outcome, because nothing can be stored or the run belongs to another process. */
  fail(error: Error): void {
    if (this.#is_over) return;
    this.#given_up = error;
    this.#limits.close(error);
    this.keeping.live.remove(this);
    this.#driver.wake();
    // A run that is not held here any more goes back to the queue.
    const why = error instanceof RunHandedOver ? 'handed_over' : 'failed';
    if (this.recorder.is_open) this.keeping.journal.abandon(this.run_id, why);
    this.recorder.frames.close();
    this.#answered.reject(error);
    this.#finished.reject(error);
  }

  /** @throws Error when the run was handed over or lost: anything written from then on would be written twice */
  requireHeld(): void {
    if (this.#given_up) throw this.#given_up;
  }

  /** Makes the run known to the journal and to this process; from here on facts are handed over as they come. */
  open(): void {
    if (this.recorder.is_open) return;
    this.keeping.live.add(this);
    this.#limits.watch();
    this.recorder.open();
    if (this.#early) this.#answerWhenDurable(this.#early);
  }

  answerEarly(answer: RunAnswer): void {
    this.#early = answer;
    if (this.recorder.is_open) this.#answerWhenDurable(answer);
  }

  #answerWhenDurable(answer: RunAnswer): void {
    this.keeping.journal.barrier(this.run_id).then(
      () => this.#answered.resolve(answer),
      (error: Error) => this.fail(error),
    );
  }

  /** A step of the node is done. */
  recordStep(task: NodeTask, result: StepResult): void {
    if (!this.#is_over) this.recorder.record(this.#machine.stepFinished(task, result));
  }

  /** Shown to those who follow the run; not kept. */
  showProgress(task: NodeTask, data: JsonObject): void {
    this.recorder.frames.progress(task, this.secrets.mask(data));
  }

  /** The same for a text that grows. */
  growingText({ node, iteration }: NodeTask, step: string): GrowingText {
    return this.recorder.frames.texts.begin({ node, iteration, step }, this.secrets);
  }

  /** When the node of this round first began, also on a process before this one. */
  firstStart(task: NodeTask): number {
    return this.progress?.firstStart(task.node.id, task.iteration) ?? task.started_at_ms;
  }

  /** Notes a start, without waiting for it to be stored. */
  noteStart(intent: IntentRecord): void {
    if (!this.recorder.is_open || this.#is_over) return;
    this.keeping.journal.intend(this.run_id, intent).catch((error: Error) => this.fail(error));
  }

  runNode(task: NodeTask) {
    return this.slot.during(runNode(this, task));
  }

  sleep(ms: number): Promise<'done' | 'cancelled'> {
    return this.slot.during(this.slot.whileWaiting(sleep(ms, this.signal)));
  }

  now(): number {
    return this.keeping.now();
  }

  cancelled(): boolean | Failure {
    return this.#limits.reason;
  }

  paused(node_id: string, iteration: string): PausedNode | undefined {
    return this.steps.findPause(node_id, iteration);
  }

  recorded(node_id: string, iteration: string) {
    return this.progress?.recorded(node_id, iteration);
  }

  crashed(error: unknown, task: NodeTask): void {
    // An operation that a node waited for was cut off because the run ended; libraries have many words for that.
    if (this.#limits.is_stopping || this.#is_over) return;
    const { run_id, workflow_id } = this;
    this.keeping.log.error({ err: error, run_id, workflow_id, node_type: task.node.type }, 'node crashed');
  }

  async #continue(first: Promise<void>): Promise<void> {
    try {
      this.open();
      for (let waits: Promise<void> | undefined = first; waits; waits = this.#driver.advance(this.recorder)) {
        if (!this.#given_up) await this.#driver.until(waits);
        if (this.#given_up) return;
      }
      this.#end();
    } catch (error) {
      this.keeping.log.error({ err: error, run_id: this.run_id }, 'run crashed');
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(): void {
    const { finished } = this.recorder;
    // It may have been given up while the last nodes ran.
    if (!finished || this.#given_up) return;
    this.#limits.close();
    endRun(this, finished).then(this.#tellEnd, (error: Error) => this.fail(error));
  }

  readonly #tellEnd = (answer: RunAnswer): void => {
    if (this.recorder.is_open) this.keeping.live.remove(this);
    this.#answered.resolve(this.#early ?? answer);
    this.#finished.resolve(answer);
  };
}
