import type { Cell, ColumnTable } from './encoding/columns.ts';
import { plainText } from './encoding/columns.ts';
import type { NoteRow, RunBegin, RunFinal } from './journal.ts';

export const STATE = { queued: 0, running: 1, waiting: 2, done: 3 } as const;

/** Raise when a change makes stored records unreadable for older programs; they leave such runs queued. */
export const ENGINE_VERSION = 1;

function table(columns: Readonly<Record<string, string>>): ColumnTable {
  return { names: Object.keys(columns), types: Object.values(columns) };
}

/** Times travel as epoch milliseconds. */
export const RUN_COLUMNS = table({
  id: 'uuid',
  workflow_id: 'uuid',
  version_id: 'uuid',
  state: 'smallint',
  status: 'text',
  trigger_source: 'text',
  trigger_node_id: 'text',
  actor_id: 'uuid',
  attempt: 'smallint',
  deadline_at: 'float8',
  parent_run_id: 'uuid',
  root_run_id: 'uuid',
  depth: 'smallint',
  idempotency_key: 'text',
  options: 'text',
  input: 'text',
  started_at: 'float8',
  outputs: 'text',
  outcome: 'text',
  records: 'text',
  http_status: 'smallint',
  execution_time_ms: 'integer',
  finished_at: 'float8',
});

export const STEP_COLUMNS = table({
  run_id: 'uuid',
  node_id: 'text',
  iteration: 'text',
  attempt: 'smallint',
  kind: 'text',
  sequence: 'integer',
  record: 'text',
});

export const END_COLUMNS = table({
  id: 'uuid',
  state: 'smallint',
  status: 'text',
  outputs: 'text',
  outcome: 'text',
  records: 'text',
  http_status: 'smallint',
  execution_time_ms: 'integer',
  finished_at: 'float8',
});

export const WAIT_COLUMNS = table({
  run_id: 'uuid',
  node_id: 'text',
  iteration: 'text',
  kind: 'text',
  token_hash: 'text',
  due_at: 'float8',
  payload: 'text',
  sequence: 'integer',
  attempt: 'smallint',
  started_at: 'float8',
});

export const BLOB_COLUMNS = table({ hash: 'text', content: 'text' });
export const RUN_BLOB_COLUMNS = table({ run_id: 'uuid', hash: 'text' });

/** How a run ended, as the columns from `outputs` on. */
export interface EncodedFinal {
  readonly outputs: string;
  readonly records: string | null;
}

const text = (value: string | null): string | null => (value === null ? null : plainText(value));

export function beginCells(run: RunBegin, input: string, state: number, status: string): Cell[] {
  const options = JSON.stringify(run.options);
  return [
    run.run_id,
    run.workflow_id,
    run.version_id,
    state,
    status,
    text(run.trigger_source),
    text(run.trigger_node_id),
    run.actor_id,
    state === STATE.queued ? 0 : 1,
    run.deadline_at_ms,
    run.parent_run_id,
    run.root_run_id,
    run.depth,
    text(run.idempotency_key),
    options === '{}' ? null : options,
    input,
    run.started_at_ms,
  ];
}

export const NO_FINAL: readonly Cell[] = [null, null, null, null, null, null];

export function finalCells(final: RunFinal, encoded: EncodedFinal): Cell[] {
  return [
    encoded.outputs,
    outcomeText(final),
    encoded.records,
    final.http_status,
    Math.round(final.execution_time_ms),
    final.ended_at_ms,
  ];
}

/** Null for a plain success, so that most rows do without it. */
function outcomeText({ shape, failure, failed_node }: RunFinal): string | null {
  if (shape === 'labels' && !failure) return null;
  return JSON.stringify({ shape, failure, failed_node });
}

export function noteCells(row: NoteRow, encoded: { input: string; outputs: string }): Cell[] {
  return [
    row.run_id,
    row.workflow_id,
    row.version_id,
    STATE.done,
    row.status,
    text(row.trigger_source),
    null,
    row.actor_id,
    0,
    null,
    null,
    null,
    0,
    null,
    null,
    encoded.input,
    row.at_ms,
    encoded.outputs,
    null,
    null,
    row.http_status,
    0,
    row.at_ms,
  ];
}
