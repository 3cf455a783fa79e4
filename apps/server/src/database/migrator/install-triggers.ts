import type { SqlClient } from '../sql-client.ts';

/** Deletes the rows that belong to deleted parents, once per statement and not once per row. */
const cascade = (parent: string, key: string, child: string, column: string) => `
CREATE OR REPLACE FUNCTION cascade_${parent}_to_${child}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ${child} WHERE ${column} IN (SELECT ${key} FROM gone);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER cascade_${parent}_to_${child} AFTER DELETE ON ${parent}
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION cascade_${parent}_to_${child}();`;

/** Most rows that go in the statement that deletes a workflow. */
const AT_ONCE = 500;

/** Some rows of each deleted workflow, found by index however many there are, and no more than the limit in all. */
const selectSome = (columns: string, table: string, condition = '') => `
  SELECT ${columns} FROM gone g CROSS JOIN LATERAL (
    SELECT * FROM ${table} c WHERE c.workflow_id = g.id ${condition} LIMIT ${AT_ONCE}) c LIMIT ${AT_ONCE}`;

/**
 * A workflow may have a million runs, and a statement for all of them would take longer than statements may. A few go with
 * it, open ones first; the rest is noted and deleted in slices (`execution/ownership/delete-runs.ts`).
 */
const DELETE_RUNS = `
CREATE OR REPLACE FUNCTION cascade_workflows_to_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM runs WHERE id IN (${selectSome('c.id', 'runs', 'AND c.state < 3')});
  DELETE FROM runs WHERE id IN (${selectSome('c.id', 'runs')});
  DELETE FROM trigger_causes WHERE (workflow_id, node_id, cause) IN
    (${selectSome('c.workflow_id, c.node_id, c.cause', 'trigger_causes')});
  INSERT INTO run_deletions (workflow_id, workflow_name, owner_id)
    SELECT id, name, owner_id FROM gone g
    WHERE EXISTS (SELECT 1 FROM runs WHERE workflow_id = g.id)
      OR EXISTS (SELECT 1 FROM trigger_causes WHERE workflow_id = g.id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER cascade_workflows_to_runs AFTER DELETE ON workflows
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION cascade_workflows_to_runs();
DROP TRIGGER IF EXISTS cascade_workflows_to_trigger_causes ON workflows;`;

/**
 * Runs that waited for one which is deleted before its end continue with the next sweep. Most runs that are deleted have
 * ended, and decided such waits then.
 */
const DECIDE_WAITS = `
CREATE OR REPLACE FUNCTION decide_waits_for_deleted_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM gone WHERE state < 3) THEN
    UPDATE waits SET decided_at = now(), decision = 'ended'
    WHERE decided_at IS NULL AND child_run_id IS NOT NULL
      AND child_run_id = ANY(ARRAY(SELECT id FROM gone WHERE state < 3));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER decide_waits_for_deleted_runs AFTER DELETE ON runs
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION decide_waits_for_deleted_runs();`;

/**
 * The output and error that cards of boards show of a run go with it. A chain that is under way still hands the output
 * on; its end looks for runs that were deleted meanwhile.
 */
const FORGET_CARD_RUNS = `
CREATE OR REPLACE FUNCTION forget_card_runs_of_deleted_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE board_card_runs l SET run_id = NULL, output = NULL, output_is_cut = false, error = NULL
  FROM board_rounds o
  WHERE l.run_id = ANY(ARRAY(SELECT id FROM gone)) AND o.id = l.round_id AND o.state <> 'open';
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER forget_card_runs_of_deleted_runs AFTER DELETE ON runs
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_card_runs_of_deleted_runs();`;

const CASCADES = [
  DELETE_RUNS,
  DECIDE_WAITS,
  FORGET_CARD_RUNS,
  cascade('runs', 'id', 'steps', 'run_id'),
  cascade('runs', 'id', 'waits', 'run_id'),
  cascade('runs', 'id', 'run_blobs', 'run_id'),
  cascade('runs', 'id', 'portal_turns', 'run_id'),
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

/** Tables that processes keep in memory, and which of their changes matter to them. */
const COUNTED: Readonly<Record<string, string>> = {
  workflows: 'UPDATE OR DELETE',
  workflow_shares: 'INSERT OR DELETE',
  workflow_team_shares: 'INSERT OR DELETE',
  team_members: 'INSERT OR DELETE',
  users: 'UPDATE OF email, name, is_admin OR DELETE',
  sessions: 'UPDATE OF ended_at OR DELETE',
  execution_tokens: 'UPDATE OF revoked_at OR DELETE',
  credentials: 'INSERT OR UPDATE OR DELETE',
  credential_shares: 'INSERT OR DELETE',
  credential_team_shares: 'INSERT OR DELETE',
};

const countChanges = ([table, events]: [string, string]) => `
DROP TRIGGER IF EXISTS count_change ON ${table};
CREATE CONSTRAINT TRIGGER count_change AFTER ${events} ON ${table}
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();`;

/** A trigger for events decides what the runs of the owner's other workflows write at their end. */
const COUNT_EVENT_TRIGGERS = `
DROP TRIGGER IF EXISTS count_change ON triggers;
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR UPDATE OF kind, settings ON triggers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'event') EXECUTE FUNCTION count_change();`;

/** Losing it costs a computation, so it is not worth the log. */
const UNLOGGED = `
DO $$ BEGIN
  IF (SELECT relpersistence FROM pg_class WHERE oid = 'response_cache'::regclass) <> 'u' THEN
    ALTER TABLE response_cache SET UNLOGGED;
  END IF;
END $$;`;

const STATEMENTS: readonly string[] = [
  ...CASCADES,
  UNLOGGED,
  COUNT_CHANGE,
  ...Object.entries(COUNTED).map(countChanges),
  COUNT_EVENT_TRIGGERS,
];

/** Raise when a statement above changes; a test compares them with `TEXT_OF_REVISION`. */
const REVISION = 9;
/** First characters of the SHA-256 of the statements of this revision. */
const TEXT_OF_REVISION = '6b04be3cb132bc77';

const PREFIX = 'schema revision ';

export const triggerRevision = { number: REVISION, text: TEXT_OF_REVISION, statements: STATEMENTS } as const;

/**
 * Installs everything that the generated migrations cannot say: triggers in place of foreign keys, those of the change
 * clock, the unlogged table. Runs after them at every start, and does nothing when this revision or a later one is
 * there: an older process that starts beside newer ones must not take their triggers back.
 */
export async function installTriggers(sql: SqlClient): Promise<void> {
  const { rows } = await sql.query<{ comment: string | null }>({
    text: `SELECT obj_description('runs'::regclass) AS comment`,
  });
  const installed = Number(rows[0]?.comment?.replace(PREFIX, '') ?? 0);
  if (installed >= REVISION) return;
  const statements = ['BEGIN', ...STATEMENTS, `COMMENT ON TABLE runs IS '${PREFIX}${REVISION}'`, 'COMMIT'];
  try {
    for (const text of statements) await sql.query({ text });
  } catch (error) {
    await sql.query({ text: 'ROLLBACK' }).catch(() => undefined);
    throw error;
  }
}
