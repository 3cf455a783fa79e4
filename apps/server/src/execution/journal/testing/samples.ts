import { newId, newOrderedId } from '../../../core/ids.ts';
import type { SqlClient } from '../../../database/sql-client.ts';
import type { RunBegin, RunFinal } from '../../model/run.ts';
import type { IntentRecord, StepRecord } from '../../model/step.ts';
import type { WaitDecision, WaitRecord } from '../../model/wait.ts';
import type { Journal } from '../journal.ts';

export function sampleRun(overrides: Partial<RunBegin> = {}): RunBegin {
  return {
    run_id: newOrderedId(Date.now()),
    workflow_id: newId(),
    version_id: newId(),
    trigger_source: 'API',
    trigger_node_id: 'start',
    actor_id: newId(),
    parent_run_id: null,
    root_run_id: null,
    depth: 0,
    idempotency_key: null,
    options: {},
    input: { body: { name: 'Ada' } },
    started_at_ms: Date.now(),
    deadline_at_ms: null,
    ...overrides,
  };
}

export function sampleStep(
  sequence: number,
  overrides: Partial<Extract<StepRecord, { type: 'node_finished' }>> = {},
): StepRecord {
  return {
    type: 'node_finished',
    node_id: `node-${sequence}`,
    node_label: `Node ${sequence}`,
    node_type: 'set',
    iteration: '',
    status: 'success',
    output: { value: sequence },
    ports: ['output'],
    sequence,
    attempt: 1,
    started_at_ms: 1_000,
    ended_at_ms: 1_001,
    execution_time_ms: 1,
    ...overrides,
  };
}

export function sampleFinal(overrides: Partial<RunFinal> = {}): RunFinal {
  return {
    status: 'success',
    outputs: { Output: 'done' },
    shape: 'labels',
    execution_time_ms: 12.3,
    ended_at_ms: Date.now(),
    ...overrides,
  };
}

export function sampleIntent(overrides: Partial<IntentRecord> = {}): IntentRecord {
  return {
    node_id: 'call',
    iteration: '',
    attempt: 1,
    effect: 'unsafe',
    idempotency_key: 'run:call:',
    started_at_ms: 1_000,
    ...overrides,
  };
}

export function sampleWait(overrides: Partial<WaitRecord> = {}): WaitRecord {
  return {
    node_id: 'review',
    iteration: '',
    key: 'review',
    kind: 'review',
    token_hash: null,
    due_at_ms: null,
    payload: { summary: 'please look' },
    decisions: ['accepted', 'refused'],
    child_run_id: null,
    sequence: 3,
    attempt: 1,
    started_at_ms: 1_000,
    ...overrides,
  };
}

export function sampleDecision(overrides: Partial<WaitDecision> = {}): WaitDecision {
  return { node_id: 'review', iteration: '', key: 'review', decision: 'accepted', data: null, ...overrides };
}

/** A new run that records the steps and then waits. */
export async function pauseRun(
  journal: Journal,
  run: RunBegin,
  waits: readonly WaitRecord[],
  steps: readonly StepRecord[] = [],
): Promise<void> {
  journal.begin(run);
  for (const step of steps) journal.record(run.run_id, step);
  for (const wait of waits) await journal.wait(run.run_id, wait);
  await journal.suspend(run.run_id, waits);
}

/** Registers a worker whose lease holds for a minute. */
export async function addWorker(sql: SqlClient, worker_id: string = newId()): Promise<string> {
  await sql.query({
    text: `INSERT INTO workers (id, host, lease_until, engine_version) VALUES ($1, 'test', now() + interval '1 minute', 1)`,
    values: [worker_id],
  });
  return worker_id;
}
