import type { WorkflowSummary } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../core/ids.ts';
import { describeOnBoth } from '../../execution/journal/testing/databases.ts';
import { createTestApp, shareTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { shareWith, shareWithTeam } from './testing/sharing.ts';

describeOnBoth('GET /api/workflows with a limit', (kind) => {
  let app: TestApp;
  let me: TestUser;
  let other: TestUser;
  const list = async (query: string) =>
    (await me.call('GET', `/api/workflows?${query}`)).json<WorkflowSummary[]>();

  async function insert(owner: TestUser, count: number): Promise<void> {
    await app.services.database.sql.query({
      text: `WITH made AS (
          INSERT INTO workflows (id, name, owner_id, version_id, updated_at)
          SELECT gen_random_uuid(), 'w' || n, $1, gen_random_uuid(), now() - make_interval(secs => n % 97)
          FROM generate_series(1, $2::int) n RETURNING id, version_id, name)
        INSERT INTO workflow_versions (id, workflow_id, version_number, name, nodes, edges, settings)
        SELECT version_id, id, 1, name, '[]', '[]', '{}' FROM made`,
      values: [owner.id, count],
    });
  }

  beforeAll(async () => {
    app = await createTestApp({ database: await kind.open() });
    [me, other] = [await app.user(), await app.user()];
    await insert(me, 3_000);
    await insert(other, 3_000);
    const { rows } = await app.services.database.sql.query<{ id: string }>({
      text: 'SELECT id FROM workflows WHERE owner_id = $1 ORDER BY id LIMIT 40',
      values: [other.id],
    });
    for (const [at, { id }] of rows.entries()) {
      if (at % 2 === 0) await shareWith(app, id, me);
      // Some in both ways, and then once in the list.
      if (at % 3 === 0) await shareWithTeam(app, id, [me]);
    }
    await app.services.database.sql.query({ text: 'ANALYZE' });
  });
  afterAll(() => app.close());

  it('pages through exactly what the whole list shows, in its order, by offset and by the last row', async () => {
    for (const order of ['desc', 'asc']) {
      const whole = (await list(`order=${order}`)).map(({ id }) => id);
      expect(whole.length).toBeGreaterThan(3_020);
      const byOffset: string[] = [];
      for (let offset = 0; offset < whole.length; offset += 500) {
        byOffset.push(...(await list(`order=${order}&limit=500&offset=${offset}`)).map(({ id }) => id));
      }
      expect(byOffset).toEqual(whole);
      const byCursor: WorkflowSummary[] = [];
      for (let last: WorkflowSummary | undefined; ; last = byCursor.at(-1)) {
        const behind = last ? `&before=${last.updated_at}&before_id=${last.id}` : '';
        const page = await list(`order=${order}&limit=499${behind}`);
        if (page.length === 0) break;
        byCursor.push(...page);
      }
      expect(byCursor.map(({ id }) => id)).toEqual(whole);
    }
  });

  it('shows the same of a workflow on a page as in the whole list', async () => {
    const [page, whole] = [await list('limit=500'), await list('')];
    expect(page).toEqual(whole.slice(0, 500));
    expect(new Set(whole.map(({ access }) => access))).toEqual(new Set(['owner', 'collaborator']));
  });

  it('reads a page off the index instead of sorting what the person has', async () => {
    const asked: { text: string; values: readonly unknown[] }[] = [];
    const { db, sql } = app.services.database;
    const { session } = db as unknown as {
      session: { prepareQuery: (query: { sql: string; params: unknown[] }, ...rest: unknown[]) => unknown };
    };
    const prepare = session.prepareQuery.bind(session);
    session.prepareQuery = (query, ...rest) => {
      asked.push({ text: query.sql, values: query.params });
      return prepare(query, ...rest);
    };
    try {
      await list('limit=50');
    } finally {
      session.prepareQuery = prepare;
    }
    const statement = asked.find(({ text }) => text.includes('workflow_team_shares'));
    if (!statement) throw new Error('the list asked nothing');
    const explained = await sql.query<{ 'QUERY PLAN': string }>({
      text: `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${statement.text}`,
      values: [...statement.values],
    });
    const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (Only )?Scan Backward using workflows_owner on workflows w/);
    expect(plan).not.toMatch(/Seq Scan on workflows\b/);
    // Of the person's own rows, as many are read as the page needs, not all that there are.
    const read = [...plan.matchAll(/using workflows_owner .*actual rows=([\d.]+)/g)].map(([, rows]) =>
      Number(rows),
    );
    expect(Math.max(...read)).toBeLessThanOrEqual(50);
  });

  it('422 for half a cursor, and for one that the sorting has no use for', async () => {
    const at = new Date().toISOString();
    for (const query of [
      `before=${at}`,
      `before_id=${newId()}`,
      `before=${at}&before_id=${newId()}&sort=name`,
      `before=yesterday&before_id=${newId()}`,
    ]) {
      expect((await me.call('GET', `/api/workflows?limit=5&${query}`)).statusCode, query).toBe(422);
    }
  });
});

describe('the list', () => {
  it('loads neither graphs nor settings', async () => {
    const app = await shareTestApp();
    const user = await app.user();
    await user.call('POST', '/api/workflows', { name: 'w' });
    const [row] = (await user.call('GET', '/api/workflows')).json<object[]>();
    expect(Object.keys(row ?? {}).sort()).toEqual([
      'access',
      'active',
      'auth_type',
      'created_at',
      'description',
      'first_node_type',
      'folder_id',
      'http_method',
      'id',
      'mcp_enabled',
      'name',
      'owner_id',
      'owner_name',
      'portal_enabled',
      'portal_slug',
      'published',
      'scheduled_for_deletion',
      'shared_by_team',
      'unpublished_changes',
      'updated_at',
    ]);
    await app.close();
  });
});
