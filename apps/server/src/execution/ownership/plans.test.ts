import { expect, test } from 'vitest';
import { openPglite } from '../../adapters/pglite/open.ts';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import { requestedCancels } from './cancel.ts';
import { claimRuns } from './claim.ts';
import { takeOver } from './takeover.ts';
import { resumeDue } from './waits.ts';

const worker_id = newId();
const PAST = 3_000;

/** Everything that is asked about once per second, whatever the process does. */
async function sweep(sql: SqlClient): Promise<void> {
  await takeOver(sql);
  await resumeDue(sql);
  await requestedCancels(sql, worker_id);
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

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows of tables that the plan has looked at, also those that it then left out. */
function rowsRead(node: PlanNode): number {
  const own = node['Relation Name']
    ? (node['Actual Rows'] +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0)) *
      node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}

const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
};

async function fillWithPast({ sql }: Database): Promise<void> {
  const id = (column: string) => `md5((${column})::text)::uuid`;
  await sql.query({
    text: `INSERT INTO runs (id, workflow_id, state, status, owner, attempt, input, started_at)
      SELECT ${id('n')}, ${id('n % 7')}, 3, 'success', '${worker_id}', 1, '{}', now() FROM generate_series(1, ${PAST}) n`,
  });
  await sql.query({
    text: `INSERT INTO waits (run_id, node_id, kind, payload, sequence, started_at, due_at, decided_at, applied)
      SELECT ${id('n')}, 'wait', 'timer', '{}', 1, now(), now(), now(), true FROM generate_series(1, ${PAST}) n`,
  });
}

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
      const { rows } = await database.sql.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>({
        text: `EXPLAIN (ANALYZE, FORMAT JSON) ${execute(index)}`,
      });
      const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
      if (explained) read[text] = rowsRead(explained.Plan);
    }
    expect(Object.keys(read)).toHaveLength(statements.length);
    expect(Object.entries(read).filter(([, count]) => count > 50)).toEqual([]);
  } finally {
    await database.close();
  }
});
