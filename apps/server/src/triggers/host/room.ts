import { setTimeout as pause } from 'node:timers/promises';
import type { SqlClient } from '../../database/sql-client.ts';
import { countQueuedInWorkflow } from '../../execution/store/lookups.ts';

/** How often it is looked for room. */
export const LOOK_EVERY_MS = 250;

export interface Room {
  /**
   * Resolves when the workflow may have another waiting run; rejects when the signal aborts. Until then the source is not
   * read, so that what is not read yet stays there.
   *
   * @param onFull called once when it has to wait
   */
  wait(workflow_id: string, signal: AbortSignal, onFull?: () => void): Promise<void>;
}

/** How long a count is relied on: webhooks, calls and other processes use the same room. */
const COUNT_VALID_MS = 1_000;

interface Counted {
  /** Runs that may be stored before it is counted again. */
  readonly free: number;
  readonly at_ms: number;
}

/**
 * @param limit waiting runs of one workflow at which its triggers stop reading
 * @param now_ms a clock that only moves forward
 */
export function createRoom(sql: SqlClient, limit: number, now_ms = () => performance.now()): Room {
  const counted = new Map<string, Counted>();

  const count = async (workflow_id: string): Promise<Counted> => ({
    free: limit - (await countQueuedInWorkflow(sql, workflow_id, limit)),
    at_ms: now_ms(),
  });

  function known(workflow_id: string): Counted | undefined {
    const last = counted.get(workflow_id);
    return last && now_ms() - last.at_ms < COUNT_VALID_MS ? last : undefined;
  }

  /** One run fewer may be stored. */
  function take(workflow_id: string, { free, at_ms }: Counted): void {
    if (free > 1) counted.set(workflow_id, { free: free - 1, at_ms });
    else counted.delete(workflow_id);
  }

  return {
    async wait(workflow_id, signal, onFull) {
      let room = known(workflow_id) ?? (await count(workflow_id));
      if (room.free <= 0) onFull?.();
      while (room.free <= 0) {
        await pause(LOOK_EVERY_MS, undefined, { signal });
        room = await count(workflow_id);
      }
      signal.throwIfAborted();
      take(workflow_id, room);
    },
  };
}
