import { expect, test, vi } from 'vitest';
import { openPglite } from '../../adapters/pglite/open.ts';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient, Statement, TransactionalSql } from '../../database/sql-client.ts';
import { type ExplainedPlan, rowsRead } from '../journal/testing/plan-rows.ts';
import { sampleRun } from '../journal/testing/samples.ts';
import { runsToReport } from './jobs/error-runs.ts';
import { oldestQueuedSeconds } from './lookups.ts';
import { requestedCancels, runsLeftByParents } from './queue/cancel.ts';
import { claimRuns } from './queue/claim.ts';
import { fireTrigger } from './queue/fire.ts';
import { groupsToAdmit } from './queue/places.ts';
import { takeOver } from './queue/requeue/takeover.ts';
import { decideForEndedChildren, listDecidedRuns, resumeDue } from './waiting/waits.ts';

// Making a database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const worker_id = newId();
const PAST = 3_000;

/** All queries that run once per second, even when the process is idle. */
async function sweep(sql: SqlClient): Promise<void> {
  await takeOver(sql);
  await resumeDue(sql);
  await groupsToAdmit(sql);
  await decideForEndedChildren(sql);
  await listDecidedRuns(sql, worker_id);
  await requestedCancels(sql, worker_id);
  await runsLeftByParents(sql);
  await runsToReport(sql);
  await claimRuns(sql, { worker_id, limit: 10, busy_workflows: [] });
}

async function sweepStatements(database: Database): Promise<Statement[]> {
  const seen: Statement[] = [];
  await sweep({
    query(statement) {
      seen.push(statement);
      return database.sql.query(statement);
    },
  });
  return seen;
}

const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
};

const literalOrNull = (value: unknown): string => (value === null ? 'NULL' : literal(value));

async function fillWithPast({ sql }: Database): Promise<void> {
  const id = (column: string) => `md5((${column})::text)::uuid`;
  await sql.query({
    text: `INSERT INTO runs (id, workflow_id, state, status, owner, attempt, input, started_at)
      SELECT ${id('n')}, ${id('n % 7')}, 3, 'success', '${worker_id}', 1, '{}', now() FROM generate_series(1, ${PAST}) n`,
  });
  await sql.query({
    text: `INSERT INTO waits (run_id, node_id, kind, payload, sequence, started_at, due_at, child_run_id, decided_at, applied)
      SELECT ${id('n')}, 'wait', 'timer', '{}', 1, now(), now(), ${id('n')}, now(), true FROM generate_series(1, ${PAST}) n`,
  });
}

async function insertWorkflow({ sql }: Database): Promise<string> {
  const owner = newId();
  await sql.query({
    text: `INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'a@example.com', 'Ann', 'x')`,
    values: [owner],
  });
  const workflow = newId();
  await sql.query({
    text: `INSERT INTO workflows (id, name, owner_id, version_id, concurrency_limit) VALUES ($1, 'w', $2, $1, 0)`,
    values: [workflow, owner],
  });
  return workflow;
}

async function fillWithHeld(database: Database): Promise<void> {
  const workflow = await insertWorkflow(database);
  await database.sql.query({
    text: `INSERT INTO runs (id, workflow_id, state, status, input, started_at, ready_at, place_key, virtual_time)
      SELECT md5(n::text)::uuid, $1, 0, 'running', '{}', now(), 'infinity', (n % 4)::text, n FROM generate_series(1, ${PAST}) n`,
    values: [workflow],
  });
}

test('runs that wait for a place are not read again and again for the next ones to claim', async () => {
  const database = await openPglite({ thread: false });
  try {
    await database.migrate();
    await fillWithHeld(database);
    await database.sql.query({ text: 'ANALYZE runs' });
    const read: number[] = [];
    const sql: SqlClient = {
      async query({ text, values = [] }) {
        const { rows } = await database.sql.query<ExplainedPlan>({
          text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          values,
        });
        read.push(rowsRead(rows));
        return { rows: [], row_count: 0 };
      },
    };
    await claimRuns(sql, { worker_id, limit: 10, busy_workflows: [] });
    await groupsToAdmit(sql);
    await oldestQueuedSeconds(sql);
    expect(read).toHaveLength(3);
    expect(Math.max(...read)).toBeLessThan(50);
  } finally {
    await database.close();
  }
});

/** A webhook that has started so many runs, all of them under way. */
async function fillWithCauses({ sql }: Database, workflow: string): Promise<string> {
  const trigger = newId();
  await sql.query({
    text: `INSERT INTO triggers (id, workflow_id, node_id, version_id, type, kind, settings)
      VALUES ($1, $2, 'hook', $2, 'webhookTrigger', 'webhook', '{}')`,
    values: [trigger, workflow],
  });
  await sql.query({
    text: `INSERT INTO trigger_causes (workflow_id, node_id, cause, run_id)
      SELECT $1, 'hook', n::text, md5(n::text)::uuid FROM generate_series(1, ${PAST}) n`,
    values: [workflow],
  });
  await sql.query({
    text: `INSERT INTO runs (id, workflow_id, state, status, owner, input, started_at, virtual_time)
      SELECT md5(n::text)::uuid, $1, 1, 'running', '${worker_id}', '{}', now(), n FROM generate_series(1, ${PAST}) n`,
    values: [workflow],
  });
  return trigger;
}

test('a delivery reads neither what its trigger had before nor the runs under way', async () => {
  const database = await openPglite({ thread: false });
  try {
    await database.migrate();
    const workflow = await insertWorkflow(database);
    let [text, values]: [string, readonly unknown[]] = ['', []];
    const record = {
      query: async (statement: Statement) => {
        [text, values] = [statement.text, statement.values ?? []];
        return { rows: [{ may_fire: 1, earlier: null }], row_count: 1 };
      },
    } as unknown as TransactionalSql;
    const fire = (trigger_id: string) =>
      fireTrigger(record, worker_id, {
        run: sampleRun({ workflow_id: workflow }),
        trigger_id,
        causes: [{ name: 'new', known_until_ms: null }],
        overlaps: false,
      });
    // Planned with empty tables, and kept.
    await database.sql.query({ text: 'SET plan_cache_mode = force_generic_plan' });
    await fire(newId());
    await database.sql.query({ text: `PREPARE fire AS ${text}` });
    const execute = () => `EXECUTE fire(${values.map(literalOrNull).join(', ')})`;
    await database.sql.query({ text: execute() });
    await fire(await fillWithCauses(database, workflow));
    const { rows } = await database.sql.query<ExplainedPlan>({
      text: `EXPLAIN (ANALYZE, FORMAT JSON) ${execute()}`,
    });
    expect(rowsRead(rows)).toBeLessThan(50);
    const stored = await database.sql.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM trigger_causes WHERE cause = 'new'`,
    });
    expect(stored.rows[0]?.count).toBe(1);
  } finally {
    await database.close();
  }
});

// Plans are made when the process starts, often with empty tables, and kept.
test('what is asked every second reads nothing of the runs that are over (design §5)', async () => {
  const database = await openPglite({ thread: false });
  try {
    await database.migrate();
    await database.sql.query({ text: 'SET plan_cache_mode = force_generic_plan' });
    const statements = await sweepStatements(database);
    const names = statements.map((_, index) => `kept_${index}`);
    const execute = (index: number) => {
      const values = statements[index]?.values ?? [];
      return `EXECUTE ${names[index]}${values.length > 0 ? `(${values.map(literal).join(', ')})` : ''}`;
    };
    for (const [index, { text }] of statements.entries()) {
      await database.sql.query({ text: `PREPARE ${names[index]} AS ${text}` });
      await database.sql.query({ text: execute(index) });
    }
    await fillWithPast(database);
    const read: Record<string, number> = {};
    for (const [index, { text }] of statements.entries()) {
      const { rows } = await database.sql.query<ExplainedPlan>({
        text: `EXPLAIN (ANALYZE, FORMAT JSON) ${execute(index)}`,
      });
      read[text] = rowsRead(rows);
    }
    expect(Object.keys(read)).toHaveLength(statements.length);
    expect(Object.entries(read).filter(([, count]) => count > 50)).toEqual([]);
  } finally {
    await database.close();
  }
});
