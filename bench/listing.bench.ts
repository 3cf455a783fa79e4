/**
 * How long lists take that are as long as a large installation's: 10,000 workflows (most owned, some shared, some shared
 * with a team), 1,000 credentials, a tree of 2,000 folders. Beside each: the same rows by a plain statement without any
 * sharing, on the same database in the same run. Also counts the statements of each list and prints their plans.
 *
 * `npx tsx bench/listing.bench.ts [requests per list] [plans]`
 */

import { newId } from '../apps/server/src/core/ids.ts';
import { sealConfig } from '../apps/server/src/resources/credentials/sealing.ts';
import { createApp } from '../apps/server/src/startup/app.ts';
import { createTestApp, type TestApp, type TestUser } from '../apps/server/src/testing/index.ts';
import { quantile } from './support/quantile.ts';

const REQUESTS = Number(process.argv[2] ?? 60);
const SHOW_PLANS = process.argv.includes('plans');
const SIZES = { own: 8_000, shared: 1_000, team: 1_000, noise: 20_000, credentials: 1_000, folders: 2_000 };

type Sql = TestApp['services']['database']['sql'];

interface People {
  readonly me: TestUser;
  readonly other: TestUser;
  readonly team_id: string;
}

async function seedWorkflows(sql: Sql, { me, other, team_id }: People): Promise<void> {
  const insert = (owner: string, count: number, tag: string) =>
    sql.query({
      text: `WITH made AS (
        INSERT INTO workflows (id, name, owner_id, version_id, updated_at)
        SELECT gen_random_uuid(), $3 || ' ' || n, $1, gen_random_uuid(), now() - make_interval(secs => n)
        FROM generate_series(1, $2::int) n RETURNING id, version_id, name)
        INSERT INTO workflow_versions (id, workflow_id, version_number, name, nodes, edges, settings)
        SELECT version_id, id, 1, name, '[]', '[]', '{}' FROM made`,
      values: [owner, count, tag],
    });
  await insert(me.id, SIZES.own, 'own');
  for (const tag of ['shared', 'team', 'noise'] as const) await insert(other.id, SIZES[tag], tag);
  await sql.query({
    text: `INSERT INTO workflow_shares (workflow_id, user_id)
      SELECT id, $1 FROM workflows WHERE owner_id = $2 AND name LIKE 'shared %'`,
    values: [me.id, other.id],
  });
  await sql.query({
    text: `INSERT INTO workflow_team_shares (workflow_id, team_id)
      SELECT id, $1 FROM workflows WHERE owner_id = $2 AND name LIKE 'team %'`,
    values: [team_id, other.id],
  });
}

/** Ten folders at the root, every other one below a folder made before it; each own workflow is in one of them. */
async function seedFolders(sql: Sql, me: TestUser): Promise<void> {
  const ids = Array.from({ length: SIZES.folders }, newId);
  const parents = ids.map((_, index) => (index < 10 ? null : (ids[Math.floor(index / 4)] ?? null)));
  await sql.query({
    text: `INSERT INTO folders (id, name, parent_id, owner_id)
      SELECT id, 'folder ' || n, parent, $3 FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS t(id, parent, n)`,
    values: [ids, parents, me.id],
  });
  await sql.query({
    text: `UPDATE workflows SET folder_id = ($1::uuid[])[1 + abs(hashtext(id::text)) % $2::int] WHERE owner_id = $3`,
    values: [ids, ids.length, me.id],
  });
}

async function seedCredentials({ services }: TestApp, { me, other }: People): Promise<void> {
  const sealed = Array.from({ length: SIZES.credentials }, (_, index) =>
    sealConfig(services.secrets, { api_key: `sk-${index}-0123456789` }, services.now()),
  );
  const owners = sealed.map((_, index) => (index % 10 === 0 ? other.id : me.id));
  await services.database.sql.query({
    text: `INSERT INTO credentials (owner_id, name, type, encrypted_config, key_id)
      SELECT owner, 'credential ' || n, 'openai', token, key
      FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS t(owner, token, key, n)`,
    values: [owners, sealed.map((item) => item.encrypted_config), sealed.map((item) => item.key_id)],
  });
  await services.database.sql.query({
    text: 'INSERT INTO credential_shares (credential_id, user_id) SELECT id, $1 FROM credentials WHERE owner_id = $2',
    values: [me.id, other.id],
  });
}

interface Captured {
  readonly sql: string;
  readonly params: unknown[];
}

interface Session {
  prepareQuery(query: Captured, ...rest: unknown[]): unknown;
}

/** Notes every statement that the query builder sends. */
function capture(db: unknown): Captured[] {
  const { session } = db as { session: Session };
  const statements: Captured[] = [];
  const prepare = session.prepareQuery.bind(session);
  session.prepareQuery = (query, ...rest) => {
    statements.push(query);
    return prepare(query, ...rest);
  };
  return statements;
}

async function times(act: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let request = -3; request < REQUESTS; request++) {
    const start = performance.now();
    await act();
    if (request >= 0) taken.push(performance.now() - start);
  }
  return taken;
}

const show = (value: number) => value.toFixed(1).padStart(8);

const test = await createTestApp();
const { services } = test;
const { sql } = services.database;
const [me, other] = [await test.user('Me'), await test.user('Other')];
const team_id = (await other.call('POST', '/api/teams', { name: 'Team' })).json<{ id: string }>().id;
await other.call('POST', `/api/teams/${team_id}/members`, { email: me.email });
const people = { me, other, team_id };
await seedWorkflows(sql, people);
await seedFolders(sql, me);
await seedCredentials(test, people);
await sql.query({ text: 'ANALYZE' });

const statements = capture(services.database.db);
// The test application also checks answers against the contract, which the product does not.
const app = await createApp({ services });
const authorization = `Bearer ${me.access_token}`;
const get = (url: string) => app.inject({ method: 'GET', url, headers: { authorization } });

const LISTS = [
  { url: '/api/workflows', plain: 'SELECT * FROM workflows ORDER BY updated_at DESC LIMIT 10000' },
  { url: '/api/workflows?limit=50', plain: 'SELECT * FROM workflows ORDER BY updated_at DESC LIMIT 50' },
  { url: '/api/credentials', plain: 'SELECT * FROM credentials LIMIT 1000' },
  {
    url: '/folders/tree',
    plain: 'SELECT f.*, w.* FROM folders f LEFT JOIN workflows w ON w.folder_id = f.id',
  },
];

process.stdout.write('list                         rows  statements   p50 ms   p99 ms  plain p50   ratio\n');
const plans: string[] = [];
for (const { url, plain } of LISTS) {
  await get(url);
  statements.length = 0;
  const answer = await get(url);
  const sent = statements.filter((statement) => !/"sessions"/.test(statement.sql));
  const own = await times(() => get(url));
  const bare = await times(async () => JSON.stringify((await sql.query({ text: plain })).rows));
  const rows = answer.json<unknown[]>().length;
  const [p50, p99, plain50] = [quantile(own, 0.5), quantile(own, 0.99), quantile(bare, 0.5)];
  process.stdout.write(
    `${url.padEnd(26)} ${String(rows).padStart(6)} ${String(sent.length).padStart(11)} ${show(p50)} ${show(p99)}   ${show(plain50)} ${show(p50 / plain50)}\n`,
  );
  for (const statement of SHOW_PLANS ? sent : []) {
    const values = statement.params.map((value) => (value instanceof Date ? value.toISOString() : value));
    const plan = await sql.query<{ 'QUERY PLAN': string }>({
      text: `EXPLAIN ANALYZE ${statement.sql}`,
      values,
    });
    plans.push(`\n== ${url}\n${plan.rows.map((row) => row['QUERY PLAN']).join('\n')}`);
  }
}
process.stdout.write(`${plans.join('\n')}\n`);
await app.close();
await test.close();
process.exit(0);
