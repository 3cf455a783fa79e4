import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chain, signUp } from '../support/client.ts';
import type { OwnDatabase } from '../support/own-database.ts';
import { startMillrace } from '../support/processes.ts';
import { memoryOfTree } from './group.ts';
import { installNode, nodeBinary } from './installed.ts';
import type { Peer } from './peer.ts';
import { countOn, ownDatabase } from './postgres.ts';

const COUNT = `SELECT count(*) FROM runs WHERE status = 'success'`;

/** The product itself, built from this checkout. */
export function millrace(storage: 'embedded' | 'PostgreSQL'): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-peers-'));
  let database: OwnDatabase | undefined;
  const launch = () => {
    const shared = database && {
      DATABASE_URL: database.url,
      SECRET_KEY: 'bench-secret',
      ENCRYPTION_KEY: 'bench-encryption',
    };
    return startMillrace({ env: { DATA_DIR: folder, ...shared }, node: nodeBinary() });
  };
  return {
    name: `Millrace, ${storage}`,
    configuration: storage === 'embedded' ? 'as installed' : 'DATABASE_URL and its keys, nothing else',
    storage,
    install: async () => {
      installNode();
    },
    async prepare() {
      if (storage === 'PostgreSQL') database = await ownDatabase();
      await (await launch()).stop();
    },
    async start() {
      const { url, pid, start_ms, stop } = await launch();
      const client = await signUp(url);
      return {
        url: await client.workflow(chain(1)),
        start_ms,
        memory: () => memoryOfTree(pid),
        // The embedded database belongs to the running process alone, so it is asked instead.
        stored: async () => (database ? countOn(database.url, COUNT) : client.finishedRuns()),
        stop,
      };
    },
    async discard() {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
