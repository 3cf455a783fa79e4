import type {
  JsonObject,
  NodeFinished,
  Outcome,
  OutputEmitted,
  RunEvent,
  RunFact,
  RunFinished,
} from '@millrace/engine';
import type { RunAnswer } from '../../model/run.ts';
import type { StampedRecord } from '../../model/step.ts';
import { FrameLog } from '../../stream/frame-log.ts';
import { GlobalWrites } from '../end/global-writes.ts';
import type { RunSteps } from '../node/steps/run-steps.ts';
import { maskedFact } from '../secrets/sealed-result.ts';
import type { EventTaker } from './run-driver.ts';
import type { RunStart } from './run-start.ts';

/** Hears of what an executor acts upon. */
export interface RecorderHost {
  answerEarly(answer: RunAnswer): void;
  fail(error: Error): void;
}

/**
 * Turns the events of a run into rows and frames, both masked. Rows stay here until the run is open, and are handed to the
 * journal as they come from then on.
 */
export class EventRecorder implements EventTaker {
  readonly frames: FrameLog;
  readonly global_writes: GlobalWrites;
  readonly #start: RunStart;
  readonly #steps: RunSteps;
  readonly #host: RecorderHost;
  #is_open = false;
  #answered_early = false;
  #finished: RunFinished | undefined;

  constructor(start: RunStart, steps: RunSteps, host: RecorderHost) {
    this.#start = start;
    this.#steps = steps;
    this.#host = host;
    this.global_writes = start.progress?.global_writes ?? new GlobalWrites();
    this.frames = new FrameLog({
      run_id: start.begin.run_id,
      messages: start.workflow.settings.sse_node_config,
      started_at_ms: start.begin.started_at_ms,
      observer: start.observer,
      resumed: start.progress,
    });
  }

  /** How the run ended; absent before. */
  get finished(): RunFinished | undefined {
    return this.#finished;
  }

  /** Rows so far. */
  get records(): readonly StampedRecord[] {
    return this.frames.records;
  }

  /** The journal has the run. */
  get is_open(): boolean {
    return this.#is_open;
  }

  /** Hands what has happened to the journal. A resumed run is there already. */
  open(): void {
    this.#is_open = true;
    const { keeping, begin, progress } = this.#start;
    const past = this.frames.open();
    if (progress) return;
    keeping.journal.begin(begin).durable.catch((error: Error) => this.#host.fail(error));
    for (const record of past) keeping.journal.record(begin.run_id, record);
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case 'run_started':
        return;
      case 'node_started':
        return this.frames.started(event);
      case 'node_retried':
      case 'node_finished':
      case 'node_suspended':
      case 'step_finished':
        return this.record(event);
      case 'output_emitted':
        return this.#answerEarly(event);
      case 'run_finished':
        this.#finished = event;
        return;
      default:
        return event satisfies never;
    }
  }

  record(event: RunFact): void {
    if (this.#steps.isNews(event)) this.#store(event);
    if (event.type === 'node_suspended') this.#steps.suspended(event);
  }

  #store(event: RunFact): void {
    const { keeping, begin, secrets } = this.#start;
    if (event.type === 'node_finished' && event.variables) this.global_writes.take(event.variables);
    const masked = secrets.mask(event);
    const answers_early = event.type === 'node_finished' && this.#answersEarly(event);
    const row = maskedFact(keeping, event, masked);
    const record = this.frames.record(row, { is_masked: masked !== event, answers_early });
    if (this.#is_open) keeping.journal.record(begin.run_id, record);
  }

  #answersEarly({ node_id, status }: NodeFinished): boolean {
    if (status !== 'success' || this.#answered_early) return false;
    const { graph } = this.#start.workflow.version;
    const node = graph.nodes[graph.indexOf(node_id)];
    return node?.answers_early === true && node.flow === 'main';
  }

  #answerEarly(event: OutputEmitted): void {
    const { keeping, begin, secrets } = this.#start;
    this.#answered_early = true;
    const outputs: JsonObject = { [event.node_label]: secrets.mask(event.output) };
    const execution_time_ms = Math.round(keeping.now() - begin.started_at_ms);
    this.#host.answerEarly(this.answer({ status: 'success', outputs, shape: 'labels' }, execution_time_ms));
  }

  /** @param outcome masked */
  answer(
    { status, outputs, shape, http_status }: Pick<Outcome, 'status' | 'outputs' | 'shape' | 'http_status'>,
    execution_time_ms: number,
  ): RunAnswer {
    const { run_id, workflow_id } = this.#start.begin;
    const { records } = this;
    return { run_id, workflow_id, status, outputs, shape, http_status, execution_time_ms, records };
  }
}
