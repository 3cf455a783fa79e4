import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnDatabase } from '../support/own-database.ts';
import { freePort, runNode, startGroup } from './group.ts';
import { install, installNode } from './installed.ts';
import type { Peer } from './peer.ts';
import { countOn, ownDatabase } from './postgres.ts';

// The newest of which every dependency was in the registry on 29 November 2026: 2.41.3 asks for one that was not.
const VERSION = '2.41.1';
const COUNT = `SELECT count(*) AS count FROM execution_entity WHERE status = 'success'`;

const node = (name: string, typeVersion: number, parameters: object) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${name.toLowerCase()}`,
  typeVersion,
  position: [0, 0],
  webhookId: 'bench',
  parameters,
});
const WEBHOOK = node('Webhook', 2, {
  httpMethod: 'POST',
  path: 'bench',
  responseMode: 'lastNode',
  options: {},
});
const SET = node('Set', 3.4, {
  assignments: {
    assignments: [{ id: 'text', name: 'text', value: '={{ $json.body.text }}', type: 'string' }],
  },
  options: {},
});
const WORKFLOW = {
  id: 'bench',
  name: 'Bench',
  active: false,
  settings: { executionOrder: 'v1' },
  nodes: [WEBHOOK, SET],
  connections: { Webhook: { main: [[{ node: 'Set', type: 'main', index: 0 }]] } },
};

/**
 * Its documentation measures a single instance on PostgreSQL, says that more connections can help, and that less saving and pruning does.
 * A V8 isolate for the expressions of each run takes most of its time; the former engine, which the documentation still names, has none.
 */
const FAST = {
  N8N_EXPRESSION_ENGINE: 'legacy',
  DB_POSTGRESDB_POOL_SIZE: '16',
  EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'false',
  EXECUTIONS_DATA_PRUNE: 'false',
  N8N_LOG_LEVEL: 'error',
};

function databaseSettings({ url }: OwnDatabase): Record<string, string> {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: hostname,
    DB_POSTGRESDB_PORT: port || '5432',
    DB_POSTGRESDB_DATABASE: pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(password),
  };
}

/** Read by the Node of n8n, which has SQLite built in. */
function countInFile(file: string): number {
  const script = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1], { readOnly: true });
    console.log(database.prepare(process.argv[2]).get().count);`;
  return Number(runNode(['--no-warnings', '-e', script, file, COUNT]));
}

export function n8n(setting: 'as installed' | 'fast'): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-n8n-'));
  let database: OwnDatabase | undefined;
  let main = '';
  const settings = async (port: number): Promise<Record<string, string>> => ({
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(await freePort()),
    // Reports to its makers, which have nothing to do with a run.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    ...(database ? { ...databaseSettings(database), ...FAST } : {}),
  });
  return {
    name: `n8n ${VERSION}, ${setting}`,
    configuration:
      setting === 'fast'
        ? Object.entries(FAST)
            .map((pair) => pair.join('='))
            .join(' ')
        : 'SQLite, every execution saved',
    storage: setting === 'fast' ? 'PostgreSQL' : 'embedded',
    install: async () => {
      installNode();
      main = join(install('n8n', VERSION, ['sqlite3']), 'bin', 'n8n');
    },
    async prepare() {
      if (setting === 'fast') database = await ownDatabase();
      const file = join(folder, 'workflow.json');
      writeFileSync(file, JSON.stringify([WORKFLOW]));
      const env = await settings(await freePort());
      runNode([main, 'import:workflow', `--input=${file}`], env);
      runNode([main, 'publish:workflow', `--id=${WORKFLOW.id}`], env);
    },
    async start() {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/webhook/bench`;
      const group = await startGroup([main, 'start'], await settings(port), url);
      const file = join(folder, '.n8n', 'database.sqlite');
      const stored = async () => (database ? countOn(database.url, COUNT) : countInFile(file));
      return { ...group, url, stored };
    },
    async discard() {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
