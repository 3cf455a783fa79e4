import type { HistoryFilters } from '@millrace/contracts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../../core/ids.ts';
import type { Database } from '../../../database/database.ts';
import type { SqlClient, SqlResult, Statement } from '../../../database/sql-client.ts';
import { addWorkflows } from '../../journal/testing/add-workflows.ts';
import { describeOnBoth } from '../../journal/testing/databases.ts';
import { type ExplainedPlan, rowsRead } from '../../journal/testing/plan-rows.ts';
import { firstIdAt, SEARCH_WINDOW } from './filters.ts';
import {
  buildCountStatement,
  type ListedRuns,
  type ListRow,
  listRuns,
  visiblePage,
  workflowPage,
} from './list.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const RUNS = 20_000;

async function readFrom({ sql }: Database, { text, values }: Statement): Promise<number> {
  const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
  return rowsRead((await sql.query<ExplainedPlan>({ text: explain, values: values ?? [] })).rows);
}

describeOnBoth('history of a workflow with many runs', (kind) => {
  const workflow_id = newId();
  /** Nothing in it is what runs usually are. */
  const failing_id = newId();
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
    await addWorkflows(database.sql, [workflow_id]);
    await database.sql.query({
      text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at)
        SELECT md5(n::text)::uuid, $1::uuid, 3, 'success', 'API', 1, '{}', now() FROM generate_series(1, ${RUNS}) n`,
      values: [workflow_id],
    });
    await addWorkflows(database.sql, [failing_id]);
    await database.sql.query({
      text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at)
        SELECT md5('f' || n::text)::uuid, $1::uuid, 3, 'rate_limited', 'Canvas', 1, '{}', now()
        FROM generate_series(1, ${3 * SEARCH_WINDOW}) n`,
      values: [failing_id],
    });
    await database.sql.query({ text: 'ANALYZE runs' });
  });
  afterAll(() => database.close());

  const readBy = (statement: Statement) => readFrom(database, statement);

  test.each([
    { status: 'error' as const },
    { status: 'cancelled' as const },
    { status: 'running' as const },
    { status: 'pending' as const },
    { trigger_source: 'cron' },
    { called_by: '0190a1b2-0000-7000-8000-000000000000' },
    { trigger_source: 'a name that a caller gave' },
    { status: 'error' as const, trigger_source: 'cron' },
  ])('a filter that nothing matches reads next to nothing: %o', async (filter) => {
    const filters = { limit: 50, offset: 0, ...filter };
    const read = await Promise.all(
      [
        workflowPage(workflow_id, filters),
        visiblePage([workflow_id], filters),
        buildCountStatement([workflow_id], filters),
      ].map(readBy),
    );
    for (const count of read) expect(count).toBeLessThan(50);
  });

  /** A list, and the rows that all of its statements have read. */
  async function listed(
    workflow_ids: readonly string[],
    filter: Partial<HistoryFilters>,
  ): Promise<ListedRuns & { read: number }> {
    let read = 0;
    const counting: SqlClient = {
      async query<Row>(statement: Statement): Promise<SqlResult<Row>> {
        read += await readBy(statement);
        return database.sql.query<Row>(statement);
      },
    };
    const found = await listRuns(counting, workflow_ids, { limit: 50, offset: 0, ...filter });
    return { ...found, read };
  }

  test.each([
    { status: 'success' as const },
    { trigger_source: 'API' },
    { status: 'success' as const, trigger_source: 'Canvas' },
    { status: 'rate_limited' as const, trigger_source: 'API' },
  ])(
    'a filter for what is usual that nothing matches reads the newest runs once, and says so: %o',
    async (filter) => {
      const { read, rows, total, not_searched } = await listed([failing_id], filter);
      // Processes of the server that read at the same time read a little further than needed.
      expect(read).toBeLessThan(1.5 * SEARCH_WINDOW);
      expect({ rows, total, not_searched }).toEqual({ rows: [], total: 0, not_searched: ['older_runs'] });
    },
  );

  test.each([{ status: 'success' as const, trigger_source: 'API' }, { search: 'success' }])(
    'what is found by looking is listed like the rest, page by page: %o',
    async (filter) => {
      const ids = [workflow_id, failing_id];
      const all = await listed(ids, { ...filter, limit: 500 });
      expect(all).toMatchObject({ total: 10_000, total_is_capped: true });
      expect(all.rows.map(({ id }) => id)).toEqual(
        all.rows
          .map(({ id }) => id)
          .toSorted()
          .toReversed(),
      );
      const { read, rows, not_searched } = await listed([workflow_id], filter);
      expect(rows).toEqual(all.rows.slice(0, 50));
      expect(not_searched).toEqual([]);
      expect(read).toBeLessThan(1.5 * SEARCH_WINDOW);
      const next = await listed([workflow_id], { ...filter, before: rows.at(-1)?.id ?? '' });
      expect(next.rows).toEqual(all.rows.slice(50, 100));
      expect(next.total).toBe(10_000);
      expect((await listed([workflow_id], { ...filter, offset: 50 })).rows).toEqual(next.rows);
    },
  );
});

describeOnBoth('history of a workflow with a run in each millisecond', (kind) => {
  const workflow_id = newId();
  const BEGIN = Date.parse('2026-11-22T12:00:00Z');
  const MIDDLE = BEGIN + 30_000;
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
    await addWorkflows(database.sql, [workflow_id]);
    await database.sql.query({
      text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at)
        SELECT (lpad(to_hex(at), 12, '0') || '7' || substr(md5(at::text), 1, 19))::uuid, $1::uuid, 3, 'success', 'API', 1, '{}',
          to_timestamp(at / 1000.0) FROM generate_series($2::bigint, $2::bigint + 59999) at`,
      values: [workflow_id, BEGIN],
    });
    await database.sql.query({ text: 'ANALYZE runs' });
  });
  afterAll(() => database.close());

  test.each([
    { to: new Date(MIDDLE).toISOString() },
    { from: new Date(MIDDLE).toISOString() },
    { before: firstIdAt(MIDDLE) },
  ])('a page reads little more than it shows: %o', async (period) => {
    const filters = { limit: 50, offset: 0, ...period };
    for (const page of [workflowPage(workflow_id, filters), visiblePage([workflow_id], filters)])
      expect(await readFrom(database, page)).toBeLessThan(1_500);
  });

  test('a page up to an instant begins with the run of that instant', async () => {
    const filters = { limit: 1, offset: 0, to: new Date(MIDDLE).toISOString() };
    for (const page of [workflowPage(workflow_id, filters), visiblePage([workflow_id], filters)]) {
      const { rows } = await database.sql.query<ListRow>(page);
      expect(rows[0]?.started_at.getTime()).toBe(MIDDLE);
    }
  });
});
