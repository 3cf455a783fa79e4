import { historyRows, type JsonObject } from '@millrace/engine';
import type { RunAnswer, StoredFinal, StoredRun } from '../model/run.ts';
import type { StampedRecord } from '../model/step.ts';

export interface StoredAnswer extends Omit<RunAnswer, 'status'> {
  readonly status: RunAnswer['status'] | StoredFinal['status'];
}

/** The outputs that nodes show while they wait, by label, as the machine answers them. */
export function pendingOutputs(records: StoredRun['records']): JsonObject {
  const waiting = historyRows(records).filter(({ status }) => status === 'pending');
  return Object.fromEntries(waiting.map(({ node_label, output }) => [node_label, output]));
}

/** How long a run that waits has worked: until the last of its facts. */
function workedMs({ begin, records }: Pick<StoredRun, 'begin' | 'records'>): number {
  const times = records.map((record) =>
    'ended_at_ms' in record ? record.ended_at_ms : record.started_at_ms,
  );
  return times.reduce((most, at) => Math.max(most, Math.round(at - begin.started_at_ms)), 0);
}

/** The answer of a run that has ended or waits, as callers got it; undefined while it is executed or queued. */
export function storedAnswer(stored: StoredRun): StoredAnswer | undefined {
  const { begin, state, final, records } = stored;
  const { run_id, workflow_id } = begin;
  if (final) {
    const { status, outputs, shape, http_status, execution_time_ms } = final;
    return { run_id, workflow_id, status, outputs, shape, http_status, execution_time_ms, records };
  }
  if (state !== 'waiting') return undefined;
  const outputs = pendingOutputs(records);
  const execution_time_ms = workedMs(stored);
  return { run_id, workflow_id, status: 'pending', outputs, shape: 'labels', execution_time_ms, records };
}

/** The answer that an Output node of the run has given before the end; undefined when none has. */
export function storedEarlyAnswer({ begin, records }: StoredRun): RunAnswer | undefined {
  const at = records.findIndex(answersEarly);
  const record = records[at];
  if (record?.type !== 'node_finished') return undefined;
  const { run_id, workflow_id, started_at_ms } = begin;
  return {
    run_id,
    workflow_id,
    status: 'success',
    outputs: { [record.node_label]: record.output },
    shape: 'labels',
    execution_time_ms: Math.round(record.ended_at_ms - started_at_ms),
    records: records.slice(0, at + 1),
  };
}

const answersEarly = (record: StampedRecord): boolean => record.answers_early === true;
