import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { createLogSync, type LogSync } from './log-sync.ts';

export interface EngineOptions {
  /** Folder of the database; absent: in memory. */
  readonly folder?: string;
  /** A dump to start from, so that tests skip initialising and migrating. */
  readonly load?: Blob;
  /** Flush the write-ahead log to the disk after each exchange; narrows what a power cut may lose. */
  readonly sync_log?: boolean;
}

/** The embedded database as a server speaks it: bytes of the wire protocol in, bytes out. */
export interface Engine {
  /** One exchange; the caller waits for the answer before it sends the next. */
  exchange(message: Uint8Array): Promise<Uint8Array>;
  dump(): Promise<Blob>;
  close(): Promise<void>;
}

const READY_IDLE = 0x49;

/**
 * Measured with `bench/execute.bench.ts`: the server's defaults (128 MB of buffers, 100 sessions) are touched whole at every
 * start, which costs 130 MB and half a second; the system's file cache backs the smaller ones. With 8 MB, runs of
 * ten nodes are 4 to 8 % slower than with 32 MB; with 16 MB there is no difference.
 */
const SETTINGS = {
  shared_buffers: '16MB',
  wal_buffers: '4MB',
  wal_init_zero: 'off',
  max_connections: '5',
} as const;
const startParams = [
  ...PGlite.defaultStartParams,
  ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** Whether the answer ends outside of a transaction: its last byte is the status of `ReadyForQuery`. */
function endsIdle(answer: Uint8Array): boolean {
  return answer[answer.length - 1] === READY_IDLE;
}

/** Opens the engine in this thread, which it occupies while it works. */
export async function openEngine({ folder, load, sync_log }: EngineOptions): Promise<Engine> {
  const database = await PGlite.create({
    startParams,
    extensions: { vector },
    ...(folder ? { dataDir: folder } : {}),
    ...(load ? { loadDataDir: load } : {}),
  });
  const logSync: LogSync | undefined = folder && sync_log ? createLogSync(database, folder) : undefined;
  return {
    async exchange(message) {
      const answer = await database.execProtocolRaw(message, { syncToFs: false });
      if (logSync && endsIdle(answer)) await logSync.sync();
      return answer;
    },
    dump: () => database.dumpDataDir('none'),
    async close() {
      logSync?.close();
      await database.close();
    },
  };
}
