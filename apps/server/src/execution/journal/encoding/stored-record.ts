import type { NodeFinished, NodeRetried } from '@millrace/engine';
import type { StepRecord } from '../journal.ts';

/** What a row has only now and then: failure, variables, numbers of its frames... */
type Rest = Readonly<Record<string, unknown>>;

/**
 * A row as it is stored: what every row has stands at a place instead of under a name. Names were two thirds of the text
 * of a small row, and to search history for one of them found every run.
 */
export type StoredRecord = readonly [
  node_id: string,
  node_label: string,
  node_type: string,
  iteration: string,
  status: NodeFinished['status'] | 'retried',
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
]);

function restOf(record: StepRecord): Rest | undefined {
  let rest: Record<string, unknown> | undefined;
  for (const key in record) {
    if (BY_PLACE.has(key)) continue;
    rest ??= {};
    rest[key] = record[key as keyof StepRecord];
  }
  return rest;
}

/** @param output what is stored in the place of the row's own */
export function toStored(record: StepRecord, output: unknown): StoredRecord {
  const finished = record.type === 'node_finished' ? record : undefined;
  const row = [
    record.node_id,
    record.node_label,
    record.node_type,
    record.iteration,
    finished?.status ?? 'retried',
    record.sequence,
    record.attempt,
    record.started_at_ms,
    record.ended_at_ms,
    record.execution_time_ms,
    finished?.ports ?? [],
    output,
  ] as const;
  const rest = restOf(record);
  return rest === undefined ? row : [...row, rest];
}

export function fromStored(stored: StoredRecord): StepRecord {
  const [node_id, node_label, node_type, iteration, status, sequence, attempt, ...behind] = stored;
  const [started_at_ms, ended_at_ms, execution_time_ms, ports, output, rest] = behind;
  const row = {
    node_id,
    node_label,
    node_type,
    iteration,
    sequence,
    attempt,
    started_at_ms,
    ended_at_ms,
    execution_time_ms,
    ...rest,
  };
  if (status === 'retried') return { type: 'node_retried', ...row } as NodeRetried;
  return { type: 'node_finished', ...row, status, ports, output } as NodeFinished;
}
