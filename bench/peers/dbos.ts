import { fileURLToPath } from 'node:url';
import type { OwnDatabase } from '../support/own-database.ts';
import { freePort, startGroup } from './group.ts';
import { install, installNode } from './installed.ts';
import type { Peer } from './peer.ts';
import { countOn, ownDatabase } from './postgres.ts';

const NAME = '@dbos-inc/dbos-sdk';
const VERSION = '5.3.0';
const SERVER = fileURLToPath(new URL('./dbos-server.mjs', import.meta.url));
const COUNT = `SELECT count(*) FROM dbos.workflow_status WHERE status = 'SUCCESS'`;

/** A library for durable functions: no graph, no editor, no sign-in, only the workflow and its checkpoints. */
export function dbos(): Peer {
  let database: OwnDatabase | undefined;
  let folder = '';
  const launch = async (url: string) => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}/`;
    const env = { DBOS_PACKAGE: folder, DATABASE_URL: url, PORT: String(port) };
    return { ...(await startGroup([SERVER], env, address)), url: address };
  };
  return {
    name: `DBOS Transact ${VERSION}`,
    configuration: 'defaults of the library behind node:http',
    storage: 'PostgreSQL',
    install: async () => {
      installNode();
      folder = install(NAME, VERSION);
    },
    async prepare() {
      database = await ownDatabase();
      await (await launch(database.url)).stop();
    },
    async start() {
      const url = database?.url ?? '';
      return { ...(await launch(url)), stored: () => countOn(url, COUNT) };
    },
    discard: async () => database?.drop(),
  };
}
