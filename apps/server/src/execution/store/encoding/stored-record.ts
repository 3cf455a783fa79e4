import type { NodeFinished, NodeRetried, NodeSuspended, StepFinished } from '@millrace/engine';
import type { StepRecord } from '../../model/step.ts';

/** Fields that a row has only now and then: failure, variables, numbers of its frames... */
type Rest = Readonly<Record<string, unknown>>;

/**
 * A row as it is stored: what every row has is at a fixed place instead of under a name. Names were two thirds of the text
 * of a small row, and to search history for one of them found every run.
 */
export type StoredRecord = readonly [
  node_id: string,
  node_label: string,
  node_type: string,
  iteration: string,
  status: NodeFinished['status'] | 'retried' | 'paused' | 'step' | 'failed_step',
  sequence: number,
  attempt: number,
  started_at_ms: number,
  ended_at_ms: number,
  execution_time_ms: number,
  ports: readonly string[],
  output: unknown,
  rest?: Rest,
];

const BY_PLACE = new Set([
  'type',
  'node_id',
  'node_label',
  'node_type',
  'iteration',
  'status',
  'sequence',
  'attempt',
  'started_at_ms',
  'ended_at_ms',
  'execution_time_ms',
  'ports',
  'output',
  // Has a column of its own.
  'sealed',
]);

function collectRest(record: StepRecord): Rest | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in record) {
    if (BY_PLACE.has(key)) continue;
    rest ??= {};
    rest[key] = record[key as keyof StepRecord];
  }
  return rest;
}

function getStatus(record: StepRecord): StoredRecord[4] {
  switch (record.type) {
    case 'node_finished':
      return record.status;
    case 'node_retried':
      return 'retried';
    case 'node_suspended':
      return 'paused';
    case 'step_finished':
      return record.status === 'success' ? 'step' : 'failed_step';
    default:
      return record satisfies never;
  }
}

/** @param output what is stored in the place of the row's own */
export function toStored(record: StepRecord, output: unknown): StoredRecord {
  const isPause = record.type === 'node_suspended';
  const row = [
    record.node_id,
    record.node_label,
    record.node_type,
    record.iteration,
    getStatus(record),
    record.sequence,
    record.attempt,
    record.started_at_ms,
    isPause ? record.started_at_ms : record.ended_at_ms,
    isPause ? 0 : record.execution_time_ms,
    record.type === 'node_finished' ? record.ports : [],
    output,
  ] as const;
  const rest = collectRest(record);
  return rest === undefined ? row : [...row, rest];
}

/** @param stored of format 1 it is the record itself, under names */
export function fromStored(stored: StoredRecord | StepRecord): StepRecord {
  if ('type' in stored) return stored;
  const [node_id, node_label, node_type, iteration, status, sequence, attempt, ...behind] = stored;
  const [started_at_ms, ended_at_ms, execution_time_ms, ports, output, rest] = behind;
  const place = { node_id, node_label, node_type, iteration, sequence, attempt, started_at_ms, ...rest };
  const row = { ...place, ended_at_ms, execution_time_ms };
  switch (status) {
    case 'retried':
      return { type: 'node_retried', ...row } as NodeRetried;
    case 'paused':
      return { type: 'node_suspended', ...place } as unknown as NodeSuspended;
    case 'step':
      return { type: 'step_finished', ...row, status: 'success', output } as unknown as StepFinished;
    case 'failed_step':
      return { type: 'step_finished', ...row, status: 'error', output } as unknown as StepFinished;
    default:
      return { type: 'node_finished', ...row, status, ports, output } as NodeFinished;
  }
}
