import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '@millrace/engine';
import { newOrderedId } from '../../apps/server/src/core/ids.ts';
import type { Database } from '../../apps/server/src/database/database.ts';
import type { RunBegin, RunFinal } from '../../apps/server/src/execution/model/run.ts';
import type { IntentRecord, StepRecord } from '../../apps/server/src/execution/model/step.ts';

const workflow_id = randomUUID();
const version_id = randomUUID();

/** A run of three nodes as an HTTP call makes it: 385 bytes of body, some headers. */
export const SAMPLE_INPUT: Json = {
  headers: {
    host: '127.0.0.1:4600',
    'user-agent': 'bench',
    accept: '*/*',
    'content-type': 'application/json',
  },
  query: {},
  body: {
    name: 'Ada "Lovelace"',
    email: 'ada@example.com',
    items: [1, 2, 3, 4],
    text: 'some text '.repeat(25),
  },
};

export function createRunBegin(input: Json): RunBegin {
  const started_at_ms = Date.now();
  return {
    run_id: newOrderedId(started_at_ms),
    workflow_id,
    version_id,
    trigger_source: 'API',
    trigger_node_id: null,
    actor_id: null,
    parent_run_id: null,
    root_run_id: null,
    depth: 0,
    idempotency_key: null,
    options: {},
    input,
    started_at_ms,
    deadline_at_ms: null,
  };
}

export function createStep(sequence: number, output: Json): StepRecord {
  return {
    type: 'node_finished',
    node_id: `node-${sequence}`,
    node_label: `Node ${sequence}`,
    node_type: 'set',
    iteration: '',
    status: 'success',
    output,
    ports: ['output'],
    sequence,
    attempt: 1,
    started_at_ms: 1_763_712_000_000.123,
    ended_at_ms: 1_763_712_000_000.456,
    execution_time_ms: 0.333,
  };
}

export const createIntent = (run_id: string): IntentRecord => ({
  node_id: 'node-2',
  iteration: '',
  attempt: 1,
  effect: 'idempotent',
  idempotency_key: `${run_id}:node-2:`,
  started_at_ms: 1_763_712_000_000.123,
});

export function createRunFinal(outputs: JsonObject, records: readonly StepRecord[] = []): RunFinal {
  return {
    status: 'success',
    outputs,
    shape: 'labels',
    execution_time_ms: 1.2,
    ended_at_ms: Date.now(),
    records,
  };
}

/** Registers a worker whose lease holds for the whole benchmark. */
export async function registerWorker(database: Database): Promise<string> {
  const worker_id = randomUUID();
  await database.sql.query({
    text: `INSERT INTO workers (id, host, lease_until, engine_version) VALUES ($1, 'bench', now() + interval '1 day', 1)`,
    values: [worker_id],
  });
  return worker_id;
}
