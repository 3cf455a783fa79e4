import { isJsonObject, type JsonObject } from '@millrace/engine';
import { AppError, notFound } from '../../core/app-error.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { Execution } from '../../execution/execution.ts';
import type { StoredRun } from '../../execution/model/run.ts';

/** A wait of the kind `upload` with its run; the id of the run is the id of the slot. */
export interface Slot {
  readonly run: StoredRun;
  readonly wait: StoredRun['waits'][number];
  /** Epoch milliseconds. */
  readonly expires_at_ms: number;
  /** As the node says; the service may allow less. */
  readonly max_size_mb: number;
  readonly allowed_types: readonly string[];
}

/** Also for a slot that the caller may not see. */
export const noSlot = () => notFound('Upload slot');

function readLimits(payload: JsonObject): Pick<Slot, 'max_size_mb' | 'allowed_types'> {
  const { max_size_mb, allowed_types } = payload;
  return {
    max_size_mb: typeof max_size_mb === 'number' ? max_size_mb : 0,
    allowed_types: Array.isArray(allowed_types)
      ? allowed_types.filter((type): type is string => typeof type === 'string')
      : [],
  };
}

/** @throws AppError 404 when there is no such run or it does not begin with a slot */
export async function slotOfRun({ journal }: Pick<Execution, 'journal'>, run_id: string): Promise<Slot> {
  const run = await journal.load(run_id);
  const wait = run?.waits.find(({ kind }) => kind === 'upload');
  if (!run || !wait) throw noSlot();
  return {
    run,
    wait,
    expires_at_ms: wait.due_at_ms ?? 0,
    ...readLimits(isJsonObject(wait.payload) ? wait.payload : {}),
  };
}

/** The slot of an address, which is all that the sender has to show. @throws AppError 404 */
export async function slotOfToken(
  execution: Pick<Execution, 'journal' | 'ownership'>,
  token: string,
): Promise<Slot> {
  const found = await execution.ownership.findWait(tokenDigest(token));
  if (found?.kind !== 'upload') throw noSlot();
  return slotOfRun(execution, found.run_id);
}

export type SlotStatus = 'pending' | 'consumed' | 'expired' | 'cancelled';

export function determineStatus({ run, wait, expires_at_ms }: Slot, now_ms: number): SlotStatus {
  if (wait.decision?.decision === 'uploaded') return 'consumed';
  if (wait.decision || expires_at_ms <= now_ms) return 'expired';
  return run.state === 'done' ? 'cancelled' : 'pending';
}

/** Why a file cannot be sent any more; undefined while it can. */
export function toRefusal(status: SlotStatus): AppError | undefined {
  switch (status) {
    case 'pending':
      return undefined;
    case 'consumed':
      return new AppError('conflict', 'A file was already sent to this address; request a new one');
    case 'expired':
      return new AppError('gone', 'This address has expired; request a new one');
    case 'cancelled':
      return new AppError('gone', 'The run of this address was cancelled; request a new one');
    default:
      return status satisfies never;
  }
}
