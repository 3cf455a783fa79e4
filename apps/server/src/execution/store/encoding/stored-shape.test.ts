import { createHash } from 'node:crypto';
import type { NodeFinished, NodeRetried } from '@millrace/engine';
import { expect, test } from 'vitest';
import { ENGINE_VERSION } from '../run-state.ts';
import * as tables from '../tables.ts';
import { toStored } from './stored-record.ts';

// Every field has a value here: a field that is added to the type does not compile until it is here, and then the
// shape below differs.
const failure = {
  kind: 'thrown',
  message: 'm',
  field: 'f',
  http_status: 400,
  final: true,
  details: {},
} as const satisfies Required<NodeFinished['failure']>;
const OF_NODE = { node_id: 'id', node_label: 'label', node_type: 'type', iteration: '1' };
const TIMED = { started_at_ms: 1, ended_at_ms: 2, execution_time_ms: 3 };
const FINISHED: Required<NodeFinished> = {
  type: 'node_finished',
  ...OF_NODE,
  ...TIMED,
  status: 'success',
  output: { a: 1 },
  ports: ['out'],
  failure,
  sequence: 1,
  attempt: 1,
  variables: [{ name: 'v', value: 1, is_global: true, by: 1, appends: true }],
  disables: ['n'],
  metadata: { m: 1 },
  unresolved: [{ field: 'f', reference: '$r', instead: '$r' }],
  items: [1],
};
const RETRIED: Required<NodeRetried> = {
  type: 'node_retried',
  ...OF_NODE,
  ...TIMED,
  sequence: 1,
  attempt: 1,
  max_attempts: 2,
  wait_ms: 3,
  failure,
};

/** First characters of the SHA-256 of what is stored, by format version. Former ones stay as they are. */
const SHAPES: Readonly<Record<number, string>> = {
  3: '7cd418a8bd41570d',
  4: '7cd418a8bd41570d',
  5: 'd6185287bcd1a5f4',
};

test('a stored shape that changes has a new format version; else a process of the version before misreads its rows', () => {
  const { RUN_COLUMNS, QUEUED_COLUMNS, END_COLUMNS, STEP_COLUMNS, WAIT_COLUMNS } = tables;
  // A column that only the queue reads is not read back with the run.
  const { place_key: _, ...types } = QUEUED_COLUMNS.types;
  const queued = { names: QUEUED_COLUMNS.names.filter((name) => name !== 'place_key'), types };
  const columns = { RUN_COLUMNS, QUEUED_COLUMNS: queued, END_COLUMNS, STEP_COLUMNS, WAIT_COLUMNS };
  const stored = [toStored(FINISHED, FINISHED.output), toStored(RETRIED, null)];
  const shape = createHash('sha256').update(JSON.stringify({ stored, columns })).digest('hex').slice(0, 16);
  const advice = `record the former version (tools/upgrade/record.ts), raise ENGINE_VERSION in run-state.ts, and add its shape '${shape}'`;
  expect(shape, advice).toBe(SHAPES[ENGINE_VERSION]);
});
