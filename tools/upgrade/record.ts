// Records what a version stores: `npx tsx tools/upgrade/record.ts <commit>` runs that commit on a database of its own, lets it
// work, ends it in the middle of a run and dumps the database for `apps/server/src/database/upgrade.test.ts`. Do it for a
// commit whose successor changes the schema, the shape of stored records or what is sealed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import {
  CHAT,
  chatDelivery,
  DOOMED,
  PERSON,
  SECRETS,
  TOKEN,
  WORKFLOWS,
} from '../../apps/server/src/database/testing/upgrade-scenario.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const [commit] = process.argv.slice(2);
if (!commit) throw new Error('usage: npx tsx tools/upgrade/record.ts <commit>');

const run = (command: string, args: readonly string[], cwd = root): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Sources of that commit with the packages of this one, but its own workspaces. */
function checkOut(folder: string): void {
  run('git', ['worktree', 'add', '--quiet', '--detach', folder, commit ?? '']);
  for (const path of ['node_modules', 'apps/server/node_modules']) {
    if (!existsSync(join(root, path))) continue;
    mkdirSync(join(folder, path), { recursive: true });
    for (const name of readdirSync(join(root, path)).filter((each) => each !== '@millrace'))
      symlinkSync(join(root, path, name), join(folder, path, name));
  }
  // These links are relative, so they lead to the workspaces of that commit.
  run('cp', ['-a', join(root, 'node_modules/@millrace'), join(folder, 'node_modules/@millrace')]);
}

async function startServer(
  folder: string,
  env: Record<string, string>,
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'apps/server/src/main.ts'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      LOG_LEVEL: 'info',
      HTTP_ALLOW_PRIVATE_URLS: 'true',
      ...SECRETS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { msg, address } = JSON.parse(line) as { msg?: string; address?: string };
      if (msg === 'millrace is serving' && address) resolve(address);
    });
  });
  return { url, child };
}

async function call(url: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status >= 400) console.log(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Uses the server as the scenario says; comes back in the middle of a run. */
async function work(url: string, database: Client, target: string): Promise<void> {
  const { access_token } = await call(`${url}/api/auth/register`, PERSON);
  const token = String(access_token);
  await call(`${url}/api/credentials`, { name: 'B', type: 'bearer', config: { bearer_token: TOKEN } }, token);
  const ids = new Map<string, string>();
  const chat = await call(`${url}/api/credentials`, CHAT.credential, token);
  ids.set(CHAT.credential.name, String(chat['id']));
  for (const [name, { nodes, edges }] of Object.entries(WORKFLOWS)) {
    let text = JSON.stringify({ name, nodes, edges }).replaceAll('TARGET', target);
    for (const [other, id] of ids) text = text.replaceAll(`"@${other}"`, `"${id}"`);
    const { id } = await call(`${url}/api/workflows`, JSON.parse(text) as object, token);
    ids.set(name, String(id));
  }
  const execute = (name: string) =>
    call(`${url}/api/workflows/${ids.get(name)}/execute`, WORKFLOWS[name]?.input ?? {}, token);
  for (const [name, { is_open, is_only_created }] of Object.entries(WORKFLOWS))
    if (!is_open && !is_only_created) await execute(name);
  await fetch(`${url}${CHAT.path}`, { method: 'POST', ...chatDelivery(Date.now()) });
  const doomed = await call(`${url}/api/workflows`, { name: DOOMED.name }, token);
  await database.query(
    `INSERT INTO runs (id, workflow_id, state, status, input, started_at, finished_at)
     SELECT gen_random_uuid(), $1, 3, 'success', '{}', now(), now() FROM generate_series(1, $2::int)`,
    [doomed['id'], DOOMED.runs],
  );
  for (const name of Object.keys(WORKFLOWS))
    if (WORKFLOWS[name]?.is_open) execute(name).catch(() => undefined);
  const waiting = Object.values(WORKFLOWS).filter(({ is_waiting }) => is_waiting).length;
  for (;;) {
    // One of them starts another that waits too.
    const { rows } = await database.query('SELECT 1 FROM runs WHERE state = 2');
    if (rows.length > waiting) break;
    await sleep(20);
  }
  for (;;) {
    const { rows } = await database.query(`SELECT 1 FROM steps WHERE kind = 'intent' AND node_id = 'pause'`);
    if (rows.length === Object.values(WORKFLOWS).filter(({ is_open }) => is_open).length) return;
    await sleep(20);
  }
}

const short = run('git', ['rev-parse', '--short', commit]).trim();
const name = `millrace_upgrade_${short}`;
const folder = mkdtempSync(join(tmpdir(), 'millrace-upgrade-'));
const tree = join(folder, 'tree');
const admin = new Client({ connectionString: SERVER });
await admin.connect();
const target = createServer((_, answer) => answer.end('{"greeting":"hello"}'));
await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
try {
  checkOut(tree);
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const server = await startServer(tree, { DATABASE_URL: url.href, DATA_DIR: join(folder, 'data') });
  const database = new Client({ connectionString: url.href });
  await database.connect();
  await work(server.url, database, `http://127.0.0.1:${(target.address() as AddressInfo).port}`);
  server.child.kill('SIGKILL');
  await database.query('DELETE FROM workflows WHERE name = $1', [DOOMED.name]);
  await database.end();
  const text = run('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url.href]);
  // Settings of the session, commands of `psql` and comments are of no use to a driver.
  const lines = text
    .split('\n')
    .filter((line) => !/^(SET |SELECT pg_catalog\.set_config|\\|--|$)/.test(line));
  const path = join(root, 'apps/server/src/database/testing/upgrades', `${short}.sql.gz`);
  const packed = gzipSync(lines.join('\n'), { level: 9 });
  writeFileSync(path, packed);
  console.log(`wrote ${path}, ${packed.length} bytes`);
} finally {
  target.close();
  target.closeAllConnections();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
  run('git', ['worktree', 'remove', '--force', tree]);
  rmSync(folder, { recursive: true, force: true });
}
