import type { SqlClient } from '../../../database/sql-client.ts';
import { DuplicateRun, OwnershipLost } from '../../model/errors.ts';
import type { BatchAnswer } from '../../store/batch-statement.ts';
import { runOfKey, type StateAndOwner, statesAndOwners } from '../../store/lookups.ts';
import { STATE } from '../../store/run-state.ts';
import type { InsertOperation, Operation } from '../operations.ts';

export interface Answered {
  readonly sql: SqlClient;
  readonly worker_id: string;
  readonly operations: readonly Operation[];
  readonly answer: BatchAnswer;
  /** An earlier attempt may have been executed without an answer. */
  readonly repeated: boolean;
}

/** Resolves each waiter of a batch whose operation was written, and rejects the others with the reason. */
export async function settle(answered: Answered): Promise<void> {
  const { operations, answer } = answered;
  const owned = answer.owned.length > 0 ? new Set(answer.owned) : undefined;
  const ended = answer.ended.length > 0 ? new Set(answer.ended) : undefined;
  const keyed = new Set(answer.keyed);
  const inserts = operations.reduce((count, { kind }) => (kind === 'insert' ? count + 1 : count), 0);
  const all_inserted = answer.inserted === inserts;
  const isWritten = ({ kind, run_id }: Operation): boolean | undefined => {
    if (kind === 'insert') return all_inserted || keyed.has(run_id);
    return (kind === 'end' ? ended : owned)?.has(run_id);
  };
  const doubtful: Operation[] = [];
  for (const operation of operations) {
    if (isWritten(operation)) operation.waiter?.resolve();
    else doubtful.push(operation);
  }
  if (doubtful.length > 0) await settleDoubtful(answered, doubtful);
}

async function settleDoubtful(
  { sql, worker_id, repeated }: Answered,
  doubtful: readonly Operation[],
): Promise<void> {
  const facts = await statesAndOwners(
    sql,
    doubtful.map(({ run_id }) => run_id),
  );
  for (const operation of doubtful) {
    const fact = facts.get(operation.run_id);
    if (operation.kind === 'insert') {
      if (fact?.state === operation.row.state) operation.waiter?.resolve();
      else await rejectDuplicate(sql, operation);
    } else if (repeated && wasWritten(operation, fact, worker_id)) operation.waiter?.resolve();
    else operation.waiter?.reject(new OwnershipLost(operation.run_id));
  }
}

/** Whether the state of the run is what the operation itself left behind in an attempt whose answer was lost. */
function wasWritten(operation: Operation, fact: StateAndOwner | undefined, worker_id: string): boolean {
  if (operation.kind === 'end' && operation.pauses)
    return fact?.state === STATE.waiting || fact?.state === STATE.queued;
  return fact?.state === STATE.done && fact.owner === worker_id;
}

async function rejectDuplicate(sql: SqlClient, operation: InsertOperation): Promise<void> {
  if (operation.idempotency_key === null) {
    operation.waiter?.reject(new OwnershipLost(operation.run_id));
    return;
  }
  const existing = await runOfKey(sql, operation.workflow_id, operation.idempotency_key);
  operation.waiter?.reject(
    existing !== undefined && existing !== operation.run_id
      ? new DuplicateRun(operation.run_id, existing)
      : new OwnershipLost(operation.run_id),
  );
}
