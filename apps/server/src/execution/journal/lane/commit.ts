import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import { isTimeout, isTransient, isDuplicate as rowIsThere, sqlState } from '../../../database/sql-errors.ts';
import type { RecordRefused } from '../../model/errors.ts';
import { DefectiveWrite } from '../../model/errors.ts';
import type { EndWrite } from '../../model/run.ts';
import { type BatchAnswer, journalStatement } from '../../store/batch-statement.ts';
import { rewriteWorker } from '../../store/workers.ts';
import { buildBatch, type Operation } from '../operations.ts';
import { settle } from './settle.ts';

export interface CommitRequest {
  readonly sql: TransactionalSql;
  readonly worker_id: string;
  readonly fenced: boolean;
  readonly log: Logger;
  readonly operations: readonly Operation[];
  /** An earlier attempt may have been executed without an answer. */
  readonly repeated?: boolean;
  /** Called before each repetition with its cause. */
  readonly onRetry: (error: unknown) => void;
  /** An operation cannot be stored, alone or with others. */
  readonly refuse: (operation: Operation, error: unknown) => void;
  /** Why nothing more of a run can be stored. */
  readonly findRefusal: (run_id: string) => RecordRefused | undefined;
}

type CommitOutcome = 'committed' | 'fenced';

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
/** An operation that alone ran out of time so often is given up, if the database stores other rows meanwhile. */
const MOST_TIMEOUTS = 2;

/** Pauses that grow, with chance in them so that processes do not come back in step. */
const pauseAfter = (attempt: number) =>
  Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random());

/**
 * Writes the operations in one statement and settles their waiters. Repeats while the database cannot be reached: whether
 * an attempt was executed does not matter, because primary keys and the state of the run make it count once. What takes
 * too long or is refused is tried again by halves, until the operation that causes it is alone.
 */
export async function commitBatch(request: CommitRequest): Promise<CommitOutcome> {
  const { operations, onRetry, refuse } = request;
  let repeated = request.repeated ?? false;
  let timeouts = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryCommit(request, repeated);
    } catch (error) {
      if (!repeated && rowIsThere(error)) {
        repeated = true;
        continue;
      }
      const is_slow = isTimeout(error);
      if (!isTransient(error) || (is_slow && operations.length > 1)) {
        if (is_slow) onRetry(error);
        return await commitByHalves(request, error);
      }
      timeouts += is_slow ? 1 : 0;
      onRetry(error);
      const [operation] = operations;
      if (timeouts >= MOST_TIMEOUTS && operation && (await storesOtherRows(request))) {
        refuse(operation, error);
        return 'committed';
      }
      repeated = true;
      await sleep(pauseAfter(attempt));
    }
  }
}

/** A batch that could not even be turned into a statement; no repetition changes that. */
class UnsendableBatch extends Error {
  readonly code = '22000';
}

async function tryCommit(request: CommitRequest, repeated: boolean): Promise<CommitOutcome> {
  const { sql, worker_id, fenced, operations } = request;
  const has_writes = operations.some((operation) => getWrites(operation).length > 0);
  const built = build(operations, { worker_id, fenced, repeated, names_all: has_writes });
  const answer = has_writes
    ? await executeWithWrites(sql, operations, built)
    : built.read(await sql.query<BatchAnswer>(built.statement));
  if (!answer || answer.alive === 0) return 'fenced';
  await settle({ sql, worker_id, operations, answer, repeated });
  return 'committed';
}

const getWrites = (operation: Operation) => ('writes' in operation ? (operation.writes ?? []) : []);

/** Runs that end with writes of their own: those are made for exactly the runs that the statement ended. */
function executeWithWrites(
  sql: TransactionalSql,
  operations: readonly Operation[],
  { statement, read }: ReturnType<typeof journalStatement>,
): Promise<BatchAnswer | undefined> {
  return sql.transaction(async (tx) => {
    const answer = read(await tx.query<BatchAnswer>(statement));
    if (!answer || answer.alive === 0) return answer;
    const written = new Set(answer.ended);
    const writes = operations.filter(({ run_id }) => written.has(run_id)).flatMap(getWrites);
    await makeWrites(tx, writes);
    return answer;
  });
}

/** Equal keys keep the order in which their runs ended, so that the last write is the one that is kept. */
const byKey = (one: EndWrite, two: EndWrite): number => {
  if (one.key === two.key) return 0;
  return one.key < two.key ? -1 : 1;
};

async function makeWrites(tx: SqlClient, writes: readonly EndWrite[]): Promise<void> {
  for (const { write } of writes.toSorted(byKey)) {
    try {
      await write(tx);
    } catch (error) {
      throw sqlState(error) !== undefined || isConnectionLoss(error) ? error : new DefectiveWrite(error);
    }
  }
}

function build(operations: readonly Operation[], options: Parameters<typeof journalStatement>[1]) {
  try {
    return journalStatement(buildBatch(operations), options);
  } catch (error) {
    throw new UnsendableBatch('the records could not be turned into a statement', { cause: error });
  }
}

/** Finds the operation that cannot be stored, so that the others do not suffer. */
async function commitByHalves(request: CommitRequest, error: unknown): Promise<CommitOutcome> {
  const { operations, refuse } = request;
  const [first] = operations;
  if (operations.length <= 1) {
    if (first) refuse(first, error);
    return 'committed';
  }
  const middle = Math.ceil(operations.length / 2);
  for (const half of [operations.slice(0, middle), operations.slice(middle)]) {
    const wanted = half.filter((operation) => !isRefused(request, operation));
    if (wanted.length === 0) continue;
    // After a timeout the whole may have been executed; to say so does no harm otherwise.
    if ((await commitBatch({ ...request, operations: wanted, repeated: true })) === 'fenced') return 'fenced';
  }
  return 'committed';
}

/** Behind a record that was refused nothing of its run is stored: it would say that the record is there. */
function isRefused({ findRefusal }: CommitRequest, { run_id, waiter }: Operation): boolean {
  const refusal = findRefusal(run_id);
  if (refusal) waiter?.reject(refusal);
  return refusal !== undefined;
}

/** Tells one operation that takes too long from a database that stores nothing in time. */
async function storesOtherRows({ sql, worker_id }: CommitRequest): Promise<boolean> {
  try {
    await rewriteWorker(sql, worker_id);
    return true;
  } catch {
    return false;
  }
}
