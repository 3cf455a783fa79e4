import { setTimeout as pause } from 'node:timers/promises';
import type { SqlClient } from '../../database/sql-client.ts';
import { countQueuedOf } from '../../execution/store/lookups.ts';

const LOOK_EVERY_MS = 250;

export interface Room {
  /**
   * Resolves when the workflow may have another waiting run; rejects when the signal aborts. Until then the source is not
   * read, so that what is not read yet stays there.
   *
   * @param onFull told once when it has to wait
   */
  wait(workflow_id: string, signal: AbortSignal, onFull?: () => void): Promise<void>;
}

/** @param limit waiting runs of one workflow at which its triggers stop reading */
export function createRoom(sql: SqlClient, limit: number): Room {
  /** Runs that may be stored before it is counted again. */
  const left = new Map<string, number>();

  const count = async (workflow_id: string) => limit - (await countQueuedOf(sql, workflow_id, limit));

  return {
    async wait(workflow_id, signal, onFull) {
      let free = left.get(workflow_id) ?? 0;
      if (free <= 0) free = await count(workflow_id);
      if (free <= 0) onFull?.();
      while (free <= 0) {
        await pause(LOOK_EVERY_MS, undefined, { signal });
        free = await count(workflow_id);
      }
      signal.throwIfAborted();
      if (free > 1) left.set(workflow_id, free - 1);
      else left.delete(workflow_id);
    },
  };
}
