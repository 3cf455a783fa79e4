import type { NodeResult } from '@millrace/contracts';
import {
  historyRows,
  type Json,
  type JsonObject,
  type NodeFinished,
  type NodeStarted,
  type StepFinished,
  toRow,
  toStep,
} from '@millrace/engine';
import type { StampedRecord, StepRecord } from '../model/step.ts';
import type { StoredAnswer } from '../run/stored-answer.ts';
import type { StartMessage } from '../workflows/published-workflow.ts';

/** One frame of the stream of a run, before it is text. */
export interface Frame {
  /** Position in the run's stream, from 1; grows, may have holes. `UNNUMBERED` for one that is never sent again. */
  readonly sequence: number;
  readonly data: JsonObject;
  /** Progress that a slow reader may miss; `first`: shed before all other progress. */
  readonly droppable: boolean | 'first';
}

/** Tokens have no place in the stream: a run has too many of them, and only the whole text is kept. */
export const UNNUMBERED = 0;

const OUR_TYPES: ReadonlySet<unknown> = new Set(['node_pending', 'node_progress', 'node_token']);

/** Whether §6.1 lists the type of the frame; strict clients see no other ones unless they ask. */
export const isListed = ({ data }: Frame): boolean => !OUR_TYPES.has(data['type']);

export const isToken = ({ data }: Frame): boolean => data['type'] === 'node_token';

/** Position of the end of a run that is over, the same in every telling. */
export const LAST_FRAME = 999_999_999;
/** Position of the first frame. Later attempts of a run that crashed number from a range of their own. */
export const FIRST_FRAME = 1;
const FRAMES_PER_ATTEMPT = 1_000_000;

/** @param attempt how often the run was claimed, from 1 */
export const frameBase = (attempt: number): number =>
  Math.max(0, attempt - 1) * FRAMES_PER_ATTEMPT + FIRST_FRAME;

/** §6.1 `execution_started`. */
export function startedFrame(run_id: string, server_now_ms: number): Frame {
  const data = { type: 'execution_started', execution_id: run_id, server_now_ms: Math.trunc(server_now_ms) };
  return { sequence: FIRST_FRAME, data, droppable: false };
}

/** §2.1, §6.1: sent only where `send_start` is true; without a text it is the default one. */
function startMessage(config: StartMessage | undefined, label: string): string | undefined {
  if (!config?.send_start) return undefined;
  return config.start_message || `[START] ${label}`;
}

type Started = Pick<NodeStarted, 'node_id' | 'node_label' | 'started_at_ms'>;
export type StartMessages = ReadonlyMap<string, StartMessage>;

/** §6.1 `node_start`. */
export function nodeStartFrame(event: Started, sequence: number, messages: StartMessages): Frame {
  const message = startMessage(messages.get(event.node_id), event.node_label);
  const data: JsonObject = {
    type: 'node_start',
    node_id: event.node_id,
    node_label: event.node_label,
    started_at_ms: Math.trunc(event.started_at_ms),
  };
  if (message !== undefined) data['message'] = message;
  return { sequence, data, droppable: true };
}

const round = (ms: number): number => Math.max(0, Math.round(ms));

/** The rows that history and streams show. */
export function toNodeResults(records: readonly StepRecord[], has_ended = false): NodeResult[] {
  return historyRows(records, has_ended);
}

/** §6.1 `node_retry`, `node_complete`: the latter always with output, also for nodes that were skipped. */
function rowFrame(record: Exclude<StepRecord, StepFinished>, sequence: number): Frame {
  const row = toRow(record) as unknown as JsonObject;
  switch (record.type) {
    case 'node_finished':
      return { sequence, data: { type: 'node_complete', ...row }, droppable: false };
    case 'node_retried': {
      const { node_id, node_label, attempt, max_attempts } = record;
      const data = { type: 'node_retry', node_id, node_label, attempt, max_attempts, retry_result: row };
      return { sequence, data, droppable: true };
    }
    case 'node_suspended':
      return { sequence, data: { type: 'node_pending', ...row }, droppable: false };
    default:
      return record satisfies never;
  }
}

/** The frame for what a node does meanwhile. Not in §6.1. */
export function progressFrame(
  of: Pick<NodeStarted, 'node_id' | 'node_label'>,
  data: JsonObject,
  sequence: number,
): Frame {
  const { node_id, node_label } = of;
  return { sequence, data: { type: 'node_progress', node_id, node_label, ...data }, droppable: true };
}

/** Which text a token belongs to. */
export interface TextPlace {
  readonly node: { readonly id: string; readonly label: string };
  readonly iteration: string;
  readonly step: string;
}

/**
 * A piece of a text that a model writes. Not in §6.1.
 *
 * @param offset characters of the text before it; 0 begins the text, also anew
 */
export function tokenFrame({ node, iteration, step }: TextPlace, offset: number, text: string): Frame {
  const round = iteration === '' ? {} : { iteration };
  const data = { type: 'node_token', node_id: node.id, node_label: node.label, ...round, step, offset, text };
  return { sequence: UNNUMBERED, data, droppable: 'first' };
}

/** §6.1 `final_output`. */
export function finalOutputFrame(event: NodeFinished, sequence: number): Frame {
  const { node_id, node_label, node_type, output } = event;
  const execution_time_ms = round(event.execution_time_ms);
  return {
    sequence,
    data: { type: 'final_output', node_id, node_label, node_type, output, execution_time_ms },
    droppable: false,
  };
}

/** The frame of a journaled fact itself. */
export function recordFrame(record: StampedRecord, sequence: number): Frame {
  if (record.type !== 'step_finished') return rowFrame(record, sequence);
  return progressFrame(record, { step: toStep(record) }, sequence);
}

/** Numbers of a row that was made before the run could be followed: three for each, in the order of the rows. */
function defaultNumbers(record: StampedRecord): readonly number[] {
  const base = record.sequence * 3;
  const isUnannounced =
    record.type === 'step_finished' || (record.type === 'node_finished' && record.status === 'skipped');
  const started = isUnannounced ? 0 : base;
  return record.answers_early ? [started, base + 1, base + 2] : [started, base + 1];
}

/** All frames of a journaled fact, as the stream sent them when it happened. */
export function buildFrames(record: StampedRecord, messages: StartMessages): Frame[] {
  const [start = 0, own = 0, final = 0] = record.frames ?? defaultNumbers(record);
  const frames: Frame[] = [];
  if (start > 0) frames.push(nodeStartFrame(record, start, messages));
  frames.push(recordFrame(record, own));
  if (final > 0 && record.type === 'node_finished') frames.push(finalOutputFrame(record, final));
  return frames;
}

/** The whole past of a run in order. */
export function pastFrames(
  run: { run_id: string; started_at_ms: number; records: readonly StampedRecord[] },
  messages: StartMessages,
): Frame[] {
  const frames = run.records.flatMap((record) => buildFrames(record, messages));
  frames.sort((one, two) => one.sequence - two.sequence);
  return [startedFrame(run.run_id, run.started_at_ms), ...frames];
}

export type RunEnd = Pick<
  StoredAnswer,
  'run_id' | 'workflow_id' | 'status' | 'outputs' | 'execution_time_ms'
>;

/** §6.1 `execution_complete`. */
export function executionCompleteFrame(end: RunEnd, sequence: number, records: readonly StepRecord[]): Frame {
  const { run_id, workflow_id, status, outputs, execution_time_ms } = end;
  const node_results = toNodeResults(records, status !== 'pending') as unknown as Json;
  return {
    sequence,
    data: {
      type: 'execution_complete',
      workflow_id,
      status,
      outputs,
      execution_time_ms: round(execution_time_ms),
      node_results,
      execution_history_id: run_id,
    },
    droppable: false,
  };
}
