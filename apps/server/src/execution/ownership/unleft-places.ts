import type { SqlClient } from '../../database/sql-client.ts';
import { leavePlace } from '../store/queue/places.ts';
import { persist } from './persist.ts';

/**
 * Places of this process that could not be freed. Other processes do not free them while this one is alive, so each is
 * retried until the database confirms it.
 */
export interface UnleftPlaces {
  /** @throws the last error of the database; the sweep keeps trying */
  leave(id: string): Promise<void>;
  /** Tries once more to free each place that could not be freed. */
  leaveMissed(): Promise<void>;
}

export function createUnleftPlaces(sql: SqlClient): UnleftPlaces {
  const missed = new Set<string>();
  return {
    async leave(id) {
      try {
        await persist(() => leavePlace(sql, id));
      } catch (error) {
        missed.add(id);
        throw error;
      }
    },
    async leaveMissed() {
      for (const id of missed) {
        await leavePlace(sql, id);
        missed.delete(id);
      }
    },
  };
}
