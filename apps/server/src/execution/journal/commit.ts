import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SqlClient } from '../../database/sql-client.ts';
import { isDuplicate, isTransient } from './faults.ts';
import { DuplicateRun, JournalUnavailable, OwnershipLost } from './journal.ts';
import { batchOf, type InsertOperation, type Operation } from './operations.ts';
import { type BatchAnswer, journalStatement } from './statement.ts';
import { STATE } from './tables.ts';

export interface CommitOptions {
  readonly sql: SqlClient;
  readonly worker_id: string;
  readonly fenced: boolean;
  readonly log: Logger;
}

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

/** Pauses that grow, with chance in them so that processes do not come back in step. */
const pauseAfter = (attempt: number) =>
  Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random());

/**
 * Writes the operations in one statement and tells everybody who waits. Repeats while the database cannot be reached:
 * whether an attempt was executed does not matter, because primary keys and the state of the run make it count once.
 *
 * @param onRetry called before each repetition with its cause
 */
export async function commitBatch(
  options: CommitOptions,
  operations: readonly Operation[],
  onRetry: (error: unknown) => void,
): Promise<'committed' | 'fenced'> {
  const batch = batchOf(operations);
  for (let attempt = 0; ; attempt++) {
    const repeated = attempt > 0;
    const { statement, read } = journalStatement(batch, { ...options, repeated });
    try {
      const answer = read(await options.sql.query<BatchAnswer>(statement));
      if (!answer || answer.alive === 0) return 'fenced';
      await settle(options, { operations, answer, repeated });
      return 'committed';
    } catch (error) {
      if (!repeated && isDuplicate(error)) continue;
      if (!isTransient(error)) return commitApart(options, { operations, error, onRetry });
      onRetry(error);
      await sleep(pauseAfter(attempt));
    }
  }
}

interface Refused {
  readonly operations: readonly Operation[];
  readonly error: unknown;
  readonly onRetry: (error: unknown) => void;
}

/** Something in the batch cannot be stored; finds it by halves, so that the others do not suffer. */
async function commitApart(
  options: CommitOptions,
  { operations, error, onRetry }: Refused,
): Promise<'committed' | 'fenced'> {
  if (operations.length <= 1) {
    const [operation] = operations;
    options.log.error({ err: error, run_id: operation?.run_id }, 'a record of a run could not be stored');
    operation?.waiter?.reject(new JournalUnavailable(error));
    return 'committed';
  }
  const middle = Math.ceil(operations.length / 2);
  for (const half of [operations.slice(0, middle), operations.slice(middle)]) {
    if ((await commitBatch(options, half, onRetry)) === 'fenced') return 'fenced';
  }
  return 'committed';
}

interface Answered {
  readonly operations: readonly Operation[];
  readonly answer: BatchAnswer;
  /** An earlier attempt may have been executed without an answer. */
  readonly repeated: boolean;
}

async function settle(options: CommitOptions, { operations, answer, repeated }: Answered): Promise<void> {
  const owned = answer.owned.length > 0 ? new Set(answer.owned) : undefined;
  const keyed = new Set(answer.keyed);
  const inserts = operations.reduce((count, { kind }) => (kind === 'insert' ? count + 1 : count), 0);
  const all_inserted = answer.inserted === inserts;
  const doubtful: Operation[] = [];
  for (const operation of operations) {
    const written =
      operation.kind === 'insert'
        ? all_inserted || keyed.has(operation.run_id)
        : owned?.has(operation.run_id);
    if (written) operation.waiter?.resolve();
    else doubtful.push(operation);
  }
  if (doubtful.length > 0) await settleDoubtful(options, doubtful, repeated);
}

interface RunFact {
  readonly id: string;
  readonly state: number;
  readonly owner: string | null;
}

async function settleDoubtful(
  { sql, worker_id }: CommitOptions,
  doubtful: readonly Operation[],
  repeated: boolean,
): Promise<void> {
  const { rows } = await sql.query<RunFact>({
    text: 'SELECT id, state, owner FROM runs WHERE id = ANY($1)',
    values: [doubtful.map(({ run_id }) => run_id)],
  });
  const facts = new Map(rows.map((row) => [row.id, row]));
  for (const operation of doubtful) {
    const fact = facts.get(operation.run_id);
    if (operation.kind === 'insert') {
      if (fact?.state === operation.state) operation.waiter?.resolve();
      else await rejectDuplicate(sql, operation);
    } else if (repeated && wasWritten(operation, fact, worker_id)) operation.waiter?.resolve();
    else operation.waiter?.reject(new OwnershipLost(operation.run_id));
  }
}

/** Whether the state of the run is what the operation itself left behind in an attempt whose answer was lost. */
function wasWritten(operation: Operation, fact: RunFact | undefined, worker_id: string): boolean {
  if (operation.kind === 'end' && operation.pauses)
    return fact?.state === STATE.waiting || fact?.state === STATE.queued;
  return fact?.state === STATE.done && fact.owner === worker_id;
}

async function rejectDuplicate(sql: SqlClient, operation: InsertOperation): Promise<void> {
  if (operation.idempotency_key === null) {
    operation.waiter?.reject(new OwnershipLost(operation.run_id));
    return;
  }
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT id FROM runs WHERE workflow_id = $1 AND idempotency_key = $2',
    values: [operation.workflow_id, operation.idempotency_key],
  });
  const [existing] = rows;
  operation.waiter?.reject(
    existing && existing.id !== operation.run_id
      ? new DuplicateRun(operation.run_id, existing.id)
      : new OwnershipLost(operation.run_id),
  );
}
