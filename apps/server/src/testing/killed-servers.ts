import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Database } from '../database/database.ts';
import { openPostgresForTest, type PostgresForTest } from '../execution/journal/testing/databases.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

interface KilledServers {
  readonly database: () => Database;
  /** A node that sends `PUT /<id>` to the target, with its label as id. */
  readonly sender: (id: string) => [id: string, type: 'http', data: { curl: string }];
  /** The ids that the target received in the present test, in order. */
  readonly effects: readonly string[];
  /** @param fault where the process ends itself: `point:SIGKILL:hit` */
  readonly start: (fault?: string) => Promise<ServerProcess>;
}

/** Servers that a suite starts one after the other on one PostgreSQL database, with a target that counts what reaches it. */
export function useKilledServers(): KilledServers {
  let postgres: PostgresForTest;
  let target: Server;
  let folder: string;
  const effects: string[] = [];
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    folder = mkdtempSync(join(tmpdir(), 'killed-'));
    target = createServer((request, response) => {
      effects.push(String(request.url).slice(1));
      response.setHeader('content-type', 'application/json');
      request.resume().on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  });
  // A process of an earlier test would take over the work of the one that is killed next.
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    effects.length = 0;
  });
  afterAll(async () => {
    target.closeAllConnections();
    target.close();
    rmSync(folder, { recursive: true, force: true });
    await postgres.database.close();
  });
  return {
    database: () => postgres.database,
    sender(id) {
      const base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
      return [id, 'http', { curl: `curl -X PUT ${base}/${id} -d x` }];
    },
    effects,
    async start(fault) {
      const server = await startServerProcess({ data_dir: folder, database_url: postgres.url, fault });
      children.push(server.child);
      return server;
    },
  };
}
