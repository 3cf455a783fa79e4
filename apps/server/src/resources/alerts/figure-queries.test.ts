import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import { addWorkflows } from '../../execution/journal/testing/add-workflows.ts';
import { describeOnBoth } from '../../execution/journal/testing/databases.ts';
import { type ExplainedPlan, rowsRead } from '../../execution/journal/testing/plan-rows.ts';
import { computeFigures, lastRunAfter } from './figure-queries.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const RUNS = 20_000;
/** More than a check reads. */
const MOST_READ = 12_000;
const NOW = Date.parse('2026-11-20T10:00:00Z');
const MINUTE_MS = 60_000;

describeOnBoth('alerts on a workflow with many runs', (kind) => {
  const workflow_id = newId();
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
    const version_id = newId();
    await addWorkflows(database.sql, [workflow_id], version_id);
    // One each second until now, of one version; each tenth fails.
    await database.sql.query({
      text: `INSERT INTO runs (id, workflow_id, version_id, state, status, input, started_at, finished_at, duration_ms)
        SELECT (substr(t.hex, 1, 8) || '-' || substr(t.hex, 9) || '-7000-8000-' || lpad(to_hex(t.n), 12, '0'))::uuid,
          $1::uuid, $2::uuid, 3, CASE WHEN t.n % 10 = 0 THEN 'error' ELSE 'success' END, '{}', t.at, t.at, 500
        FROM (SELECT n, to_timestamp(($3::float8 - n * 1000) / 1000) AS at, lpad(to_hex($3::bigint - n * 1000), 12, '0') AS hex
          FROM generate_series(0, ${RUNS - 1}) n) t`,
      values: [workflow_id, version_id, NOW],
    });
    await database.sql.query({ text: 'ANALYZE runs' });
  });
  afterAll(() => database.close());

  /** Rows that were read for what is asked of the client. */
  async function readFor(ask: (sql: SqlClient) => Promise<unknown>): Promise<number> {
    let read = 0;
    const explaining: SqlClient = {
      async query({ text, values }: Statement) {
        const explain = { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values: values ?? [] };
        read += rowsRead((await database.sql.query<ExplainedPlan>(explain)).rows);
        return { rows: [], row_count: 0 };
      },
    };
    await ask(explaining);
    return read;
  }

  const period = { workflow_id, since_ms: NOW - 5 * MINUTE_MS, until_ms: NOW };

  test('the figures of a short window read no more than the newest runs', async () => {
    expect(await computeFigures(database.sql, period)).toEqual({ total: 300, errors: 30, p95_ms: 500 });
    expect(await readFor((sql) => computeFigures(sql, period))).toBeLessThan(MOST_READ);
  });

  test('the last run is found without reading the others', async () => {
    const since = { workflow_id, since_ms: NOW - RUNS * 1_000 };
    expect(await lastRunAfter(database.sql, since)).toBe(NOW);
    expect(await readFor((sql) => lastRunAfter(sql, since))).toBeLessThan(100);
  });
});
