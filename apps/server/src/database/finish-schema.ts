import type { SqlClient } from './sql-client.ts';

/** Deletes the rows that belong to deleted parents, once per statement and not once per row. */
const cascade = (parent: string, key: string, child: string, column: string) => `
CREATE OR REPLACE FUNCTION cascade_${parent}_to_${child}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ${child} WHERE ${column} IN (SELECT ${key} FROM gone);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER cascade_${parent}_to_${child} AFTER DELETE ON ${parent}
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION cascade_${parent}_to_${child}();`;

const CASCADES = [
  cascade('workflows', 'id', 'runs', 'workflow_id'),
  cascade('runs', 'id', 'steps', 'run_id'),
  cascade('runs', 'id', 'waits', 'run_id'),
  cascade('runs', 'id', 'run_blobs', 'run_id'),
];

/**
 * Counts a transaction once, however much it changes, and as the last thing that it does: the row of the clock is the last
 * lock that a transaction takes, and is held no longer than its commit.
 */
const COUNT_CHANGE = `
INSERT INTO change_clock (id) VALUES (1) ON CONFLICT DO NOTHING;
CREATE OR REPLACE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('millrace.change_is_counted', true), '') <> 'yes' THEN
    PERFORM set_config('millrace.change_is_counted', 'yes', true);
    UPDATE change_clock SET count = count + 1;
  END IF;
  RETURN NULL;
END $$;`;

/** What processes keep in memory, and which of its changes matter to them. */
const COUNTED: Readonly<Record<string, string>> = {
  workflows: 'UPDATE OR DELETE',
  workflow_shares: 'INSERT OR DELETE',
  workflow_team_shares: 'INSERT OR DELETE',
  team_members: 'INSERT OR DELETE',
  users: 'UPDATE OF email, name, is_admin OR DELETE',
  sessions: 'UPDATE OF ended_at OR DELETE',
  execution_tokens: 'UPDATE OF revoked_at OR DELETE',
};

const countChanges = ([table, events]: [string, string]) => `
DROP TRIGGER IF EXISTS count_change ON ${table};
CREATE CONSTRAINT TRIGGER count_change AFTER ${events} ON ${table}
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();`;

/** Losing it costs a computation, so it is not worth the log. */
const UNLOGGED = `
DO $$ BEGIN
  IF (SELECT relpersistence FROM pg_class WHERE oid = 'response_cache'::regclass) <> 'u' THEN
    ALTER TABLE response_cache SET UNLOGGED;
  END IF;
END $$;`;

/** Raise when a statement below changes. */
const REVISION = 'schema revision 2';

/**
 * What the generated migrations cannot say: triggers in place of foreign keys, those of the change clock, the unlogged
 * table. Runs after them, at
 * every start, and does nothing when it was done.
 */
export async function finishSchema(sql: SqlClient): Promise<void> {
  const { rows } = await sql.query<{ comment: string | null }>({
    text: `SELECT obj_description('runs'::regclass) AS comment`,
  });
  if (rows[0]?.comment === REVISION) return;
  const clock = [COUNT_CHANGE, ...Object.entries(COUNTED).map(countChanges)];
  for (const text of [...CASCADES, UNLOGGED, ...clock, `COMMENT ON TABLE runs IS '${REVISION}'`])
    await sql.query({ text });
}
