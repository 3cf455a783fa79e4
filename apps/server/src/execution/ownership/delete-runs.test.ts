import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { describeOnBoth, silent } from '../journal/testing/databases.ts';
import { pauseRun, sampleFinal, sampleRun, sampleWait } from '../journal/testing/samples.ts';
import { noteRunsWithoutWorkflow } from '../store/jobs/run-deletions.ts';
import { deleteRunsOfDeleted } from './delete-runs.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const RUNS = 1_300;
/** Runs that go with the workflow itself: the five open ones and as many others as one statement takes. */
const AT_ONCE = 505;

describeOnBoth('deleting a workflow with many runs', ({ open }) => {
  let app: TestApp;
  let owner: TestUser;
  beforeAll(async () => {
    app = await createTestApp({ database: await open() });
    owner = await app.user();
  });
  afterAll(() => app.close());

  const sql = (text: string, values: unknown[] = []) => app.services.database.sql.query({ text, values });
  const count = async (table: 'runs' | 'steps' | 'trigger_causes', column: string, id: string) =>
    (await sql(`SELECT count(*)::int AS count FROM ${table} WHERE ${column} = $1`, [id])).rows[0]?.['count'];
  const deletions = async (user: TestUser) =>
    (await user.call('GET', '/api/workflows/deletions')).json<Record<string, unknown>[]>();
  const work = (options: { slice?: number; signal?: AbortSignal } = {}) =>
    deleteRunsOfDeleted({ sql: app.services.database.sql, log: silent, ...options });

  async function workflowWithRuns(name: string, user = owner): Promise<string> {
    const { id } = (await user.call('POST', '/api/workflows', { name })).json<{ id: string }>();
    await sql(
      `INSERT INTO runs (id, workflow_id, state, status, input, started_at)
       SELECT gen_random_uuid(), $1, CASE WHEN at <= 5 THEN 2 ELSE 3 END, 'success', '{}', now()
       FROM generate_series(1, $2::int) at`,
      [id, RUNS],
    );
    await sql(
      `INSERT INTO trigger_causes (workflow_id, node_id, cause, run_id)
       SELECT $1, 'start', at::text, gen_random_uuid() FROM generate_series(1, $2::int) at`,
      [id, RUNS],
    );
    return id;
  }

  test('§5.8: the workflow is gone at once, its runs in batches that show their progress and continue after a crash', async () => {
    const id = await workflowWithRuns('large');
    const kept = await workflowWithRuns('kept');
    expect((await owner.call('DELETE', `/api/workflows/${id}`)).statusCode).toBe(204);
    expect((await owner.call('GET', `/api/workflows/${id}`)).statusCode).toBe(404);
    expect(await count('runs', 'workflow_id', id)).toBe(RUNS - AT_ONCE);
    const { rows } = await sql('SELECT 1 FROM runs WHERE workflow_id = $1 AND state < 3', [id]);
    expect(rows, 'open runs go first').toEqual([]);
    expect(await deletions(owner)).toEqual([
      {
        workflow_id: id,
        workflow_name: 'large',
        requested_at: expect.any(String) as string,
        runs_deleted: 0,
        runs_total: null,
      },
    ]);
    expect(await deletions(await app.user())).toEqual([]);

    // The process ends after its first slice; another one finds what is left.
    const { sql: client } = app.services.database;
    const stopping = new AbortController();
    const query: typeof client.query = async (statement) => {
      const answer = await client.query(statement);
      if (statement.text.includes('runs_gone')) stopping.abort();
      return answer as never;
    };
    const options = { sql: { ...client, query }, log: silent, slice: 300 };
    await deleteRunsOfDeleted({ ...options, signal: stopping.signal });
    expect(await deletions(owner)).toMatchObject([{ runs_deleted: 300, runs_total: RUNS - AT_ONCE }]);

    // Two processes at once count each run once.
    await Promise.all([work({ slice: 100 }), work({ slice: 100 })]);
    await work();
    expect(await deletions(owner)).toEqual([]);
    expect(await count('runs', 'workflow_id', id)).toBe(0);
    expect(await count('trigger_causes', 'workflow_id', id)).toBe(0);
    expect(await count('runs', 'workflow_id', kept)).toBe(RUNS);
  });

  test('a deletion that fails does not keep the others and is tried again', async () => {
    const bad = await workflowWithRuns('bad');
    const good = await workflowWithRuns('good');
    for (const id of [bad, good]) await owner.call('DELETE', `/api/workflows/${id}`);
    await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF OLD.workflow_id = '${bad}' THEN RAISE EXCEPTION 'refused'; END IF; RETURN OLD; END $$`);
    await sql('CREATE TRIGGER refuse BEFORE DELETE ON runs FOR EACH ROW EXECUTE FUNCTION refuse()');
    await work();
    expect([await count('runs', 'workflow_id', bad), await count('runs', 'workflow_id', good)]).toEqual([
      RUNS - AT_ONCE,
      0,
    ]);
    await sql('DROP TRIGGER refuse ON runs');
    await work();
    expect(await count('runs', 'workflow_id', bad)).toBe(0);
  });

  test('runs of a deleted user go in the same way', async () => {
    const leaving = await app.user();
    const id = await workflowWithRuns('theirs', leaving);
    await sql('DELETE FROM users WHERE id = $1', [leaving.id]);
    expect(await count('runs', 'workflow_id', id)).toBe(RUNS - AT_ONCE);
    await work();
    expect(await count('runs', 'workflow_id', id)).toBe(0);
    expect((await sql('SELECT 1 FROM run_deletions')).rows).toEqual([]);
  });

  test('a run that was only in memory when its workflow was deleted goes too', async () => {
    const kept = await workflowWithRuns('in use');
    const { id } = (await owner.call('POST', '/api/workflows', { name: 'gone' })).json<{ id: string }>();
    await owner.call('DELETE', `/api/workflows/${id}`);
    await work();
    const { journal } = app.services.execution;
    await journal.finish(sampleRun({ workflow_id: id }), sampleFinal());
    expect(await count('runs', 'workflow_id', id)).toBe(1);

    const { sql: client } = app.services.database;
    expect(await noteRunsWithoutWorkflow(client)).toBe(1);
    expect(await deletions(owner)).toEqual([]);
    await work();
    expect(await count('runs', 'workflow_id', id)).toBe(0);
    expect(await count('runs', 'workflow_id', kept)).toBe(RUNS);
    expect(await noteRunsWithoutWorkflow(client)).toBe(0);
  });

  const newWorkflow = async (name: string) =>
    (await owner.call('POST', '/api/workflows', { name })).json<{ id: string }>().id;

  test('runs that wait for a deleted one continue, in whichever slice it goes', async () => {
    const { journal } = app.services.execution;
    const id = await newWorkflow('below');
    const kept = await newWorkflow('kept');
    const waitFor = async (workflow_id: string) => {
      const child = sampleRun({ workflow_id });
      const parent = sampleRun({ workflow_id: kept });
      await pauseRun(journal, child, [sampleWait()]);
      await pauseRun(journal, parent, [sampleWait({ kind: 'child', child_run_id: child.run_id })]);
      return parent.run_id;
    };
    const readDecision = async (run_id: string) =>
      (await sql('SELECT decision FROM waits WHERE run_id = $1', [run_id])).rows[0]?.['decision'];
    const at_once = await waitFor(id);
    const other = await waitFor(kept);
    await owner.call('DELETE', `/api/workflows/${id}`);
    expect(await readDecision(at_once)).toBe('ended');

    // A run whose row came after its workflow was gone.
    const late = await waitFor(id);
    await noteRunsWithoutWorkflow(app.services.database.sql);
    expect(await readDecision(late)).toBeNull();
    await work();
    expect([await readDecision(late), await readDecision(other)]).toEqual(['ended', null]);
  });

  test('a workflow with few runs leaves nothing to do', async () => {
    const { id } = (await owner.call('POST', '/api/workflows', { name: 'few' })).json<{ id: string }>();
    await owner.call('DELETE', `/api/workflows/${id}`);
    expect(await deletions(owner)).toEqual([]);
  });
});
