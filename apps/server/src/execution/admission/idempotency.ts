import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'safe-stable-stringify';
import { invalidField } from '../../core/app-error.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { DuplicateRun } from '../model/errors.ts';
import type { HttpInput } from '../model/http-input.ts';
import type { StoredRun } from '../model/run.ts';
import type { RunKeeping } from '../run/run-keeping.ts';
import type { RunHandle, RunRequest, StartRun } from '../run/start/run-request.ts';
import { runOfKey } from '../store/lookups.ts';
import type { IdempotencyKey } from './admission.ts';
import { type ClientLeft, unlessLeft } from './client-left.ts';

const ALLOWED = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads `Idempotency-Key`. Keys of different people never meet: a run belongs to a person (§5.2 rule 6), and so does its
 * result. Throws 422 for one that cannot be a key.
 *
 * @param user_id undefined for callers without an account
 */
export function readIdempotencyKey(
  given: string | string[] | undefined,
  input: Pick<Readonly<Record<keyof HttpInput, unknown>>, 'body' | 'query'> & { readonly draft?: object },
  user_id?: string,
): IdempotencyKey | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !ALLOWED.test(given))
    throw invalidField(['header', 'Idempotency-Key'], 'must be 1 to 255 visible ASCII characters', 'format');
  const { body, query, draft } = input;
  const text = stringify({ body, query, draft }) ?? '';
  const key = `http:${user_id ?? 'anonymous'}:${given}`;
  return { key, request_hash: createHash('sha256').update(text).digest('hex') };
}

function requireSameRequest(stored: StoredRun, wanted: IdempotencyKey): void {
  if (stored.begin.options['request_hash'] === wanted.request_hash) return;
  throw keyReused();
}

/** The run that has a key, and whether it had it before this request. */
export interface KeyedRun {
  readonly run_id: string;
  readonly replayed: boolean;
  /** Present when the run was started by this process. */
  readonly handle?: RunHandle | undefined;
}

interface InFlight {
  readonly request_hash: string;
  readonly run: Promise<KeyedRun>;
}

export interface KeyedRuns {
  /**
   * The run that has the key, started now unless there was one; it is stored or has ended. `left` ends the wait for a run
   * that another request starts.
   */
  claim(request: RunRequest, key: IdempotencyKey, left: ClientLeft): Promise<KeyedRun>;
}

/** The same key with another request. */
export const keyReused = () =>
  invalidField(
    ['header', 'Idempotency-Key'],
    'was used before with another body or query; use a new key for a new request',
    'idempotency_key_reused',
  );

interface Runs extends Pick<RunKeeping, 'journal' | 'live'> {
  readonly start: StartRun;
}

async function existing(
  { journal }: Runs,
  run_id: string,
  key: IdempotencyKey,
): Promise<KeyedRun | undefined> {
  const stored = await journal.load(run_id);
  if (!stored) return undefined;
  requireSameRequest(stored, key);
  return { run_id, replayed: true };
}

async function untilStored({ journal }: Runs, handle: RunHandle): Promise<void> {
  try {
    await journal.barrier(handle.run_id);
  } catch (error) {
    // The run itself knows best why it could not be stored; the error here may only follow from that.
    await nextTurn();
    await Promise.race([handle.finished, Promise.reject(error)]);
  }
}

/** Starts the run of a key that no run had a moment ago. */
async function startKeyed(runs: Runs, request: RunRequest, key: IdempotencyKey): Promise<KeyedRun> {
  const options = { ...request.options, request_hash: key.request_hash };
  try {
    const handle = await runs.start({ ...request, options, idempotency_key: key.key });
    const { run_id } = handle;
    // Before that it is unknown whether another process had the key first.
    await (runs.live.get(run_id) ? untilStored(runs, handle) : handle.finished);
    return { run_id, handle, replayed: false };
  } catch (error) {
    const first =
      error instanceof DuplicateRun ? await existing(runs, error.existing_run_id, key) : undefined;
    if (first) return first;
    throw error;
  }
}

export function createKeyedRuns(runs: Runs, sql: SqlClient): KeyedRuns {
  /** Keys whose run may not be stored yet. */
  const inFlight = new Map<string, InFlight>();

  async function start(request: RunRequest, key: IdempotencyKey): Promise<KeyedRun> {
    const known = await runOfKey(sql, request.workflow.settings.id, key.key);
    const earlier = known === undefined ? undefined : await existing(runs, known, key);
    return earlier ?? startKeyed(runs, request, key);
  }

  async function claim(request: RunRequest, key: IdempotencyKey, left: ClientLeft): Promise<KeyedRun> {
    const id = `${request.workflow.settings.id} ${key.key}`;
    const before = inFlight.get(id);
    if (before) {
      if (before.request_hash !== key.request_hash) throw keyReused();
      return { ...(await unlessLeft(before.run, left())), replayed: true };
    }
    const run = start(request, key).finally(() => inFlight.delete(id));
    inFlight.set(id, { request_hash: key.request_hash, run });
    return run;
  }

  return { claim };
}
