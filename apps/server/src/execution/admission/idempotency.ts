import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'safe-stable-stringify';
import { AppError, invalidField } from '../../core/app-error.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { DuplicateRun, type StoredRun } from '../journal/journal.ts';
import type { RunEnvironment } from '../run/environment.ts';
import type { RunAnswer, RunHandle, RunRequest } from '../run/run-request.ts';
import { sleep } from '../run/sleep.ts';
import type { HttpInput } from './run-input.ts';

export interface IdempotencyKey {
  /** As stored: keys of callers cannot meet those that nodes make. */
  readonly key: string;
  /** Of body and query: the same key with another request is a mistake. */
  readonly request_hash: string;
}

const HEADER = 'idempotency-key';
const ALLOWED = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads `Idempotency-Key`. Keys of different people never meet: a run is somebody's (§5.2 rule 6), and so is its result.
 * Throws 422 for one that cannot be a key.
 *
 * @param user_id undefined for callers that nobody knows
 */
export function idempotencyKeyOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  input: HttpInput,
  user_id?: string,
): IdempotencyKey | undefined {
  const given = headers[HEADER];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !ALLOWED.test(given))
    throw invalidField(['header', 'Idempotency-Key'], 'must be 1 to 255 visible ASCII characters', 'format');
  const text = stringify({ body: input.body, query: input.query }) ?? '';
  const key = user_id === undefined ? `http:${given}` : `http:${user_id}:${given}`;
  return { key, request_hash: createHash('sha256').update(text).digest('hex') };
}

function requireSameRequest(stored: StoredRun, wanted: IdempotencyKey): void {
  if (stored.begin.options['request_hash'] === wanted.request_hash) return;
  throw reused();
}

function storedAnswer(stored: StoredRun): RunAnswer | undefined {
  const { begin, final, records } = stored;
  const base = { run_id: begin.run_id, workflow_id: begin.workflow_id, records };
  if (stored.state === 'waiting') {
    const outputs = Object.fromEntries(stored.waits.map((wait) => [wait.node_id, wait.payload]));
    return {
      ...base,
      status: 'pending',
      outputs,
      shape: 'labels',
      execution_time_ms: 0,
      http_status: undefined,
    };
  }
  if (!final) return undefined;
  return {
    ...base,
    // Guarantee: a run that has a key ended through `finish`, which writes these statuses and an object.
    status: final.status as RunAnswer['status'],
    outputs: final.outputs as RunAnswer['outputs'],
    shape: final.shape,
    execution_time_ms: final.execution_time_ms,
    http_status: final.http_status ?? undefined,
  };
}

const FIRST_LOOK_MS = 25;
const MAX_LOOK_MS = 500;
const LONGEST_WAIT_MS = 10 * 60_000;

/** The answer of the run that had the key first; waits for it while it runs, here or on another process. */
async function firstAnswer(environment: RunEnvironment, run_id: string): Promise<RunAnswer | undefined> {
  const never = new AbortController().signal;
  let waited = 0;
  for (let pause = FIRST_LOOK_MS; waited < LONGEST_WAIT_MS; pause = Math.min(pause * 2, MAX_LOOK_MS)) {
    const stored = await environment.journal.load(run_id);
    if (!stored) return undefined;
    const answer = storedAnswer(stored);
    if (answer) return answer;
    const local = environment.live.get(run_id);
    if (local) return local.answered;
    await sleep(pause, never);
    waited += pause;
  }
  throw new AppError(
    'conflict',
    'The first request with this Idempotency-Key is still running; ask again later',
  );
}

export async function findKeyed(
  sql: SqlClient,
  workflow_id: string,
  { key }: IdempotencyKey,
): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'run_by_key',
    text: 'SELECT id FROM runs WHERE workflow_id = $1 AND idempotency_key = $2',
    values: [workflow_id, key],
  });
  return rows[0]?.id;
}

export interface KeyedAnswer {
  readonly answer: RunAnswer;
  readonly replayed: boolean;
}

/** The run that has a key, and whether it had it before this request. */
interface KeyedRun {
  readonly run_id: string;
  readonly replayed: boolean;
  /** Present when the run was started by this process. */
  readonly handle?: RunHandle;
}

interface InFlight {
  readonly request_hash: string;
  readonly run: Promise<KeyedRun>;
}

export interface KeyedRuns {
  /** Runs the request unless one with its key ran before; then that one's answer is the answer. */
  run(request: RunRequest, key: IdempotencyKey): Promise<KeyedAnswer>;
  /** The run that has the key, started now unless there was one; it is stored or has ended. */
  claim(request: RunRequest, key: IdempotencyKey): Promise<KeyedRun>;
}

const reused = () =>
  invalidField(
    ['header', 'Idempotency-Key'],
    'was used before with another body or query; use a new key for a new request',
    'idempotency_key_reused',
  );

export function createKeyedRuns(environment: RunEnvironment, sql: SqlClient): KeyedRuns {
  /** Keys whose run may not be stored yet. */
  const inFlight = new Map<string, InFlight>();

  async function existing(run_id: string, key: IdempotencyKey): Promise<KeyedRun | undefined> {
    const stored = await environment.journal.load(run_id);
    if (!stored) return undefined;
    requireSameRequest(stored, key);
    return { run_id, replayed: true };
  }

  async function stored(handle: RunHandle): Promise<void> {
    try {
      await environment.journal.barrier(handle.run_id);
    } catch (error) {
      // The run itself knows best why it could not be stored; what is told here may only follow from that.
      await nextTurn();
      await Promise.race([handle.finished, Promise.reject(error)]);
    }
  }

  async function start(request: RunRequest, key: IdempotencyKey): Promise<KeyedRun> {
    const known = await findKeyed(sql, request.workflow.settings.id, key);
    const earlier = known === undefined ? undefined : await existing(known, key);
    if (earlier) return earlier;
    const options = { ...request.options, request_hash: key.request_hash };
    try {
      const handle = await environment.start({ ...request, options, idempotency_key: key.key });
      const { run_id } = handle;
      // Before that nobody can know whether another process had the key first.
      await (environment.live.get(run_id) ? stored(handle) : handle.finished);
      return { run_id, handle, replayed: false };
    } catch (error) {
      const first = error instanceof DuplicateRun ? await existing(error.existing_run_id, key) : undefined;
      if (first) return first;
      throw error;
    }
  }

  async function claim(request: RunRequest, key: IdempotencyKey): Promise<KeyedRun> {
    const id = `${request.workflow.settings.id} ${key.key}`;
    const before = inFlight.get(id);
    if (before) {
      if (before.request_hash !== key.request_hash) throw reused();
      return { ...(await before.run), replayed: true };
    }
    const run = start(request, key).finally(() => inFlight.delete(id));
    inFlight.set(id, { request_hash: key.request_hash, run });
    return run;
  }

  return {
    claim,
    async run(request, key) {
      const { run_id, replayed, handle } = await claim(request, key);
      if (handle) return { answer: await handle.answered, replayed };
      const answer = await firstAnswer(environment, run_id);
      if (answer) return { answer, replayed };
      throw new AppError('conflict', 'The run of this Idempotency-Key was deleted; use a new key');
    },
  };
}
