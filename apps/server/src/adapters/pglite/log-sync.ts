import { closeSync, fdatasyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';

/** Flushes the write-ahead log; the embedded engine itself never does. */
export interface LogSync {
  sync(): Promise<void>;
  close(): void;
}

/** How long the segment that is written to is taken to be the same. */
const SEGMENT_MS = 200;

/**
 * Data pages are still written without flushing, so a power cut may still lose or corrupt data; only a database
 * server closes that hole.
 */
export function createLogSync(database: PGlite, folder: string): LogSync {
  const logs = join(folder, 'pg_wal');
  let current: { name: string; file: number } | undefined;
  let checkedAt = 0;

  async function segmentName(): Promise<string> {
    const { rows } = await database.query<{ name: string }>(
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS name',
    );
    return rows[0]?.name ?? '';
  }

  /** Segments that were finished since the last look are flushed once more before they are left. */
  function move(to: string): void {
    if (current) {
      const from = current.name;
      closeSync(current.file);
      const between = readdirSync(logs).filter(
        (name) => /^[0-9A-F]{24}$/.test(name) && name >= from && name < to,
      );
      for (const name of between) {
        const file = openSync(join(logs, name), 'r+');
        fdatasyncSync(file);
        closeSync(file);
      }
    }
    current = { name: to, file: openSync(join(logs, to), 'r+') };
  }

  return {
    async sync() {
      const now = performance.now();
      if (!current || now - checkedAt > SEGMENT_MS) {
        checkedAt = now;
        const name = await segmentName();
        if (name !== current?.name) move(name);
      }
      if (current) fdatasyncSync(current.file);
    },
    close() {
      if (current) closeSync(current.file);
      current = undefined;
    },
  };
}
