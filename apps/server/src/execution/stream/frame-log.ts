import type { JsonObject, NodeStarted, NodeTask } from '@millrace/engine';
import type { StampedRecord, StepRecord } from '../model/step.ts';
import {
  executionCompleteFrame,
  type Frame,
  finalOutputFrame,
  frameBase,
  LAST_FRAME,
  nodeStartFrame,
  pastFrames,
  progressFrame,
  type RunEnd,
  recordFrame,
  type StartMessages,
  startedFrame,
} from './frames.ts';
import { GrowingTexts } from './growing-texts.ts';

/** Follows one run. */
export interface RunObserver {
  frame(frame: Frame): void;
  /** Also gets the texts that models write, piece by piece. */
  readonly takes_tokens?: boolean | undefined;
  /** Called once, after the last frame: the run ended, or this process stopped working on it. */
  closed(ended: boolean): void;
}

export interface FrameLogOptions {
  readonly run_id: string;
  readonly messages: StartMessages;
  readonly started_at_ms: number;
  readonly observer: RunObserver | undefined;
  /** Set for a run that a former process began. */
  readonly resumed: { readonly records: readonly StampedRecord[]; readonly attempt: number } | undefined;
}

/** Properties of a row that are not part of the row. */
export interface RecordFacts {
  /** The mask changed something, so the row is not what nodes behind it saw. */
  readonly is_masked: boolean;
  readonly answers_early: boolean;
}

interface Begun {
  readonly event: NodeStarted;
  readonly sequence: number;
}

const buildKey = ({ node_id, iteration }: Pick<NodeStarted, 'node_id' | 'iteration'>) =>
  `${iteration} ${node_id}`;

function stamped(row: StepRecord, facts: RecordFacts, frames?: readonly number[]): StampedRecord {
  if (!frames && !facts.is_masked && !facts.answers_early) return row;
  return {
    ...row,
    ...(frames ? { frames } : {}),
    ...(facts.is_masked ? { masked: true } : {}),
    ...(facts.answers_early ? { answers_early: true } : {}),
  };
}

/**
 * Rows of a run and their frames. During the first synchronous stretch of a run only the caller that started it can
 * follow it, so frames are numbered only from the moment at which others could.
 */
export class FrameLog {
  readonly #options: FrameLogOptions;
  #observers: Set<RunObserver> | undefined;
  readonly texts = new GrowingTexts({
    isFollowed: () => this.#takers.length > 0,
    tell: (frame) => {
      for (const observer of this.#takers) observer.frame(frame);
    },
  });
  /** Made when frames are numbered: most runs are over before. */
  #running: Map<string, Begun> | undefined;
  /** Facts from before frames were numbered; undefined from then on. */
  #unnumbered: (NodeStarted | StampedRecord)[] | undefined = [];
  #records: StampedRecord[] = [];
  #next: number;
  #end: Frame | undefined;
  #is_closed = false;

  constructor(options: FrameLogOptions) {
    this.#options = options;
    const { records = [], attempt = 1 } = options.resumed ?? {};
    this.#records.push(...records);
    // Rows that a replay took over have their frames before its first attempt.
    const last = records.reduce((most, { frames = [] }) => Math.max(most, ...frames), 0);
    this.#next = Math.max(frameBase(attempt), last) + 1;
    if (!options.observer) return;
    this.#observers = new Set([options.observer]);
    this.#number();
    this.#tell(startedFrame(options.run_id, options.started_at_ms));
  }

  get records(): readonly StampedRecord[] {
    return this.#records;
  }

  get running(): readonly NodeStarted[] {
    return Array.from(this.#running?.values() ?? [], ({ event }) => event);
  }

  /** Starts to number frames; returns the rows so far, which now carry numbers. */
  open(): readonly StampedRecord[] {
    this.#number();
    return this.#records;
  }

  started(event: NodeStarted): void {
    if (this.#unnumbered) {
      this.#unnumbered.push(event);
      return;
    }
    // A repeated attempt was announced by `node_retry`.
    if (event.attempt > 1) return;
    const sequence = this.#next++;
    this.#running?.set(buildKey(event), { event, sequence });
    if (this.#observers) this.#tell(nodeStartFrame(event, sequence, this.#options.messages));
  }

  /** Adds a row; the result is what the journal stores. */
  record(row: StepRecord, facts: RecordFacts): StampedRecord {
    if (this.#unnumbered) {
      const record = stamped(row, facts);
      this.#unnumbered.push(record);
      this.#records.push(record);
      return record;
    }
    return this.#numbered(row, facts);
  }

  #numbered(row: StepRecord, facts: RecordFacts): StampedRecord {
    const key = buildKey(row);
    // The start of a node belongs to the first row that it leads to: its first failed attempt, or its end.
    const isAnnounced = row.attempt === 1 && row.type !== 'step_finished';
    const announced = isAnnounced ? (this.#running?.get(key)?.sequence ?? 0) : 0;
    const own = this.#next++;
    const final = facts.answers_early ? this.#next++ : undefined;
    const record = stamped(row, facts, final === undefined ? [announced, own] : [announced, own, final]);
    if (row.type === 'node_finished' || row.type === 'node_suspended') this.#running?.delete(key);
    this.#records.push(record);
    if (this.#observers) {
      this.#tell(recordFrame(record, own));
      if (final !== undefined && row.type === 'node_finished') this.#tell(finalOutputFrame(row, final));
    }
    return record;
  }

  /** Something that a node reports while it works; readers that connect later do not get it. */
  progress(task: NodeTask, data: JsonObject): void {
    if (!this.#observers) return;
    const { id: node_id, label: node_label } = task.node;
    this.#tell(progressFrame({ node_id, node_label }, data, this.#next++));
  }

  #number(): void {
    const happened = this.#unnumbered;
    if (!happened) return;
    this.#unnumbered = undefined;
    this.#running = new Map();
    this.#records = this.#options.resumed ? [...this.#options.resumed.records] : [];
    for (const fact of happened) {
      if (fact.type === 'node_started') this.started(fact);
      else
        this.#numbered(fact, { is_masked: fact.masked === true, answers_early: fact.answers_early === true });
    }
  }

  /** Shows everything that has happened, in order, and then what happens. The returned function ends it. */
  observe(observer: RunObserver): () => void {
    this.#number();
    for (const frame of this.#past()) observer.frame(frame);
    if (observer.takes_tokens) for (const frame of this.texts.frames()) observer.frame(frame);
    if (this.#is_closed) {
      observer.closed(this.#end !== undefined);
      return () => undefined;
    }
    this.#observers ??= new Set();
    this.#observers.add(observer);
    return () => this.#observers?.delete(observer);
  }

  #past(): Frame[] {
    const { run_id, messages, started_at_ms } = this.#options;
    const frames = pastFrames({ run_id, started_at_ms, records: this.#records }, messages);
    for (const { event, sequence } of this.#running?.values() ?? []) {
      const isTold = frames.some((frame) => frame.sequence === sequence);
      if (!isTold) frames.push(nodeStartFrame(event, sequence, messages));
    }
    frames.sort((one, two) => one.sequence - two.sequence);
    return this.#end ? [...frames, this.#end] : frames;
  }

  /** §6.1: only once the end is durable. */
  complete(end: RunEnd): void {
    if (this.#observers) {
      this.#number();
      const sequence = end.status === 'pending' ? this.#next++ : LAST_FRAME;
      this.#end = executionCompleteFrame(end, sequence, this.#records);
      this.#tell(this.#end);
    }
    this.close();
  }

  close(): void {
    if (this.#is_closed) return;
    this.#is_closed = true;
    for (const observer of this.#observers ?? []) observer.closed(this.#end !== undefined);
    this.#observers = undefined;
  }

  get #takers(): RunObserver[] {
    return Array.from(this.#observers ?? []).filter((observer) => observer.takes_tokens);
  }

  #tell(frame: Frame): void {
    for (const observer of this.#observers ?? []) observer.frame(frame);
  }
}
