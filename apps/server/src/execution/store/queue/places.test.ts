import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryBroadcast } from '../../../adapters/memory/broadcast.ts';
import { newId } from '../../../core/ids.ts';
import type { Database } from '../../../database/database.ts';
import { describeOnBoth, silent } from '../../journal/testing/databases.ts';
import { sampleRun } from '../../journal/testing/samples.ts';
import type { QueuedRun } from '../../model/queue.ts';
import { type Durability, openDurability } from '../../ownership/open-durability.ts';
import { followSettings } from './follow-settings.ts';
import { admitHeld, groupsToAdmit, HELD_MS } from './places.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const MINUTE_MS = 60_000;

interface RunRow {
  readonly id: string;
  readonly state: number;
  readonly status: string;
  readonly is_held: boolean;
  readonly priority: number;
  readonly virtual_time: number;
  readonly deadline_in_ms: number | null;
  readonly outputs: string | null;
}

describeOnBoth('runs that wait for a place of their workflow', (kind) => {
  let database: Database;
  let durability: Durability;
  beforeAll(async () => {
    database = await kind.open();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    for (const table of ['runs', 'steps', 'workers', 'run_places', 'workflows', 'users'])
      await database.sql.query({ text: `DELETE FROM ${table}` });
    durability = await openWorker();
  });

  async function openWorker(): Promise<Durability> {
    const opened = openDurability({
      database,
      broadcast: createMemoryBroadcast(),
      log: silent,
      lease_ms: MINUTE_MS,
    });
    await database.sql.query({
      text: `INSERT INTO workers (id, host, lease_until, engine_version) VALUES ($1, 'test', now() + interval '1 minute', 1)`,
      values: [opened.ownership.worker_id],
    });
    return opened;
  }

  async function user(): Promise<string> {
    const id = newId();
    await database.sql.query({
      text: `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'Ann', 'x')`,
      values: [id, `${id}@example.com`],
    });
    return id;
  }

  async function workflow(concurrency_limit: number | null, owner_id?: string): Promise<string> {
    const id = newId();
    await database.sql.query({
      text: `INSERT INTO workflows (id, name, owner_id, version_id, concurrency_limit) VALUES ($1, 'w', $2, $3, $4)`,
      values: [id, owner_id ?? (await user()), newId(), concurrency_limit],
    });
    return id;
  }

  const limit = (id: string, concurrency_limit: number | null) =>
    database.sql.query({
      text: 'UPDATE workflows SET concurrency_limit = $2 WHERE id = $1',
      values: [id, concurrency_limit],
    });

  const held = (workflow_id: string, more: Partial<QueuedRun> = {}): QueuedRun => ({
    ...sampleRun({ workflow_id, started_at_ms: Date.now() }),
    ready_at_ms: HELD_MS,
    ...more,
  });

  async function loadRows(workflow_id: string): Promise<RunRow[]> {
    const { rows } = await database.sql.query<RunRow>({
      text: `SELECT id, state, status, coalesce(ready_at = 'infinity', false) AS is_held, priority, outputs,
          virtual_time::float8 AS virtual_time, (extract(epoch FROM deadline_at - now()) * 1000)::float8 AS deadline_in_ms
        FROM runs WHERE workflow_id = $1 ORDER BY id`,
      values: [workflow_id],
    });
    return rows;
  }
  const countHeld = async (workflow_id: string) =>
    (await loadRows(workflow_id)).filter((row) => row.is_held).length;

  /** Does for them what the sweep of a process does. */
  async function sweep(): Promise<void> {
    for (const group of await groupsToAdmit(database.journal)) await admitHeld(database.journal, group);
  }

  async function storeHeld(
    workflow_id: string,
    count: number,
    more: Partial<QueuedRun> = {},
  ): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < count; at++) {
      const run = held(workflow_id, more);
      expect(await durability.ownership.enqueue(run)).toEqual({ kind: 'queued' });
      ids.push(run.run_id);
    }
    return ids;
  }

  test.each([
    ['raised', 3, 0],
    ['taken back', null, 0],
  ])('a limit that is %s lets them run with the next sweep', async (_name, next, left) => {
    const id = await workflow(1);
    await storeHeld(id, 3);
    expect(await countHeld(id)).toBe(2);
    await limit(id, next);
    await sweep();
    expect(await countHeld(id)).toBe(left);
  });

  test('a workflow that is being deleted keeps no other one from passing its places on', async () => {
    const [gone, other] = [await workflow(1), await workflow(1)];
    await storeHeld(gone, 2);
    await storeHeld(other, 2);
    await database.sql.query({ text: 'ALTER TABLE workflows DISABLE TRIGGER cascade_workflows_to_runs' });
    await database.sql.query({ text: 'DELETE FROM workflows WHERE id = $1', values: [gone] });
    await database.sql.query({ text: 'ALTER TABLE workflows ENABLE TRIGGER cascade_workflows_to_runs' });
    await database.sql.query({
      text: `UPDATE runs SET state = 3, status = 'success' WHERE workflow_id = $1 AND ready_at IS NULL`,
      values: [other],
    });
    await sweep();
    expect(await countHeld(other)).toBe(0);
    expect(await admitHeld(database.journal, { workflow_id: gone, place_key: '' })).toBe(0);
  });

  test('a run that has its place and is cancelled, or ends otherwise, leaves it', async () => {
    const id = await workflow(1);
    const [first = '', second = '', third = ''] = await storeHeld(id, 3);
    await durability.ownership.requestCancel(second);
    await durability.ownership.requestCancel(first);
    await sweep();
    expect((await loadRows(id)).map(({ status, is_held }) => [status, is_held])).toEqual([
      ['cancelled', false],
      ['cancelled', true],
      ['running', false],
    ]);
    expect((await durability.ownership.claim(10)).map(({ run_id }) => run_id)).toEqual([third]);
  });

  test('the run of a process that is lost keeps its place until it ends elsewhere', async () => {
    const id = await workflow(1);
    const [first] = await storeHeld(id, 2);
    await durability.ownership.claim(10);
    await database.sql.query({
      text: `UPDATE workers SET lease_until = now() - interval '1 second' WHERE id = $1`,
      values: [durability.ownership.worker_id],
    });
    const next = openDurability({
      database,
      broadcast: createMemoryBroadcast(),
      log: silent,
      lease_ms: MINUTE_MS,
    });
    await next.ownership.start();
    try {
      await vi.waitUntil(async () =>
        (await loadRows(id)).some(({ state, is_held }) => state === 0 && !is_held),
      );
      await sweep();
      expect((await next.ownership.claim(10)).map(({ run_id }) => run_id)).toEqual([first]);
      expect(await countHeld(id)).toBe(1);
    } finally {
      await next.ownership.stop();
    }
  });

  test('the time limit of a run does not count while it waits for a place', async () => {
    const id = await workflow(1);
    const started_at_ms = Date.now() - 10 * MINUTE_MS;
    await durability.ownership.enqueue(
      held(id, { started_at_ms, deadline_at_ms: started_at_ms + 5 * MINUTE_MS }),
    );
    const [run] = await loadRows(id);
    expect(run?.deadline_in_ms).toBeGreaterThan(4 * MINUTE_MS);
  });

  test('a limit also holds what is queued already, apart from runs that others have started', async () => {
    const id = await workflow(null);
    const queued = () => sampleRun({ workflow_id: id, started_at_ms: Date.now() });
    for (let at = 0; at < 3; at++) await durability.ownership.enqueue(queued());
    const child = { ...queued(), root_run_id: newId(), depth: 1 };
    await durability.ownership.enqueue(child);
    await limit(id, 1);
    await followSettings(database.sql, id, { concurrency_limit: 1, priority: 5 });
    expect(await countHeld(id)).toBe(3);
    expect((await loadRows(id)).map(({ priority }) => priority)).toEqual([-5, -5, -5, -5]);
    await sweep();
    expect((await durability.ownership.claim(10)).map(({ run_id }) => run_id)).toContain(child.run_id);
    expect(await countHeld(id)).toBe(2);
  });

  test('each value of the key has its own places', async () => {
    const id = await workflow(1);
    await storeHeld(id, 3, { place_key: 'a' });
    await storeHeld(id, 2, { place_key: 'b' });
    await storeHeld(id, 1);
    expect(await durability.ownership.claim(10)).toHaveLength(3);
    expect(await countHeld(id)).toBe(3);
    expect(await groupsToAdmit(database.journal)).toEqual([]);
    const group = { workflow_id: id, place_key: 'b' };
    expect(await durability.ownership.takePlace(group, { limit: 1, most_counted: 5 })).toEqual({
      waiting: 1,
    });
  });

  test('a workflow with many runs that wait for a place delays nothing of its own that needs none', async () => {
    const id = await workflow(1);
    await storeHeld(id, 30);
    await durability.ownership.claim(1);
    const child = { ...sampleRun({ workflow_id: id }), root_run_id: newId(), depth: 1 };
    await durability.ownership.enqueue(child);
    for (let at = 0; at < 5; at++) await durability.ownership.enqueue(sampleRun());
    expect((await durability.ownership.claim(2)).map(({ run_id }) => run_id)).toContain(child.run_id);
  });

  test('a run that gets a place late goes neither ahead of others nor behind them', async () => {
    const [limited, other] = [await workflow(1), await workflow(null)];
    const late = await storeHeld(limited, 2);
    await durability.ownership.claim(1);
    const queue = Array.from({ length: 6 }, () => sampleRun({ workflow_id: other }));
    for (const run of queue) await durability.ownership.enqueue(run);
    const claimed = (await durability.ownership.claim(3)).map(({ run_id }) => run_id);
    expect(claimed).toEqual(queue.slice(0, 3).map(({ run_id }) => run_id));
    await database.sql.query({
      text: `UPDATE runs SET state = 3, status = 'success' WHERE id = $1`,
      values: [late[0]],
    });
    await sweep();
    const next = (await durability.ownership.claim(2)).map(({ run_id }) => run_id);
    expect(next).toContain(late[1]);
    expect(next).toContain(queue[3]?.run_id);
  });

  const QUEUE = { places: 1, most_waiting: 2, overflow: 'refuse' } as const;

  test('one run more than may wait is refused, and nothing of it is stored', async () => {
    const id = await workflow(1);
    await storeHeld(id, 3, { queue: QUEUE });
    expect(await durability.ownership.enqueue(held(id, { queue: QUEUE }))).toEqual({ kind: 'refused' });
    expect(await loadRows(id)).toHaveLength(3);
    // Another value of the key has its own queue.
    await storeHeld(id, 1, { queue: QUEUE, place_key: 'b' });
  });

  test('of runs that come at once no more wait than may', async () => {
    const id = await workflow(1);
    const results = await Promise.all(
      Array.from({ length: 12 }, () => durability.ownership.enqueue(held(id, { queue: QUEUE }))),
    );
    expect(results.filter((result) => result.kind === 'queued')).toHaveLength(3);
    expect(results.filter((result) => result.kind === 'refused')).toHaveLength(9);
    expect(await loadRows(id)).toHaveLength(3);
  });

  test('where none may wait, a run is stored only with a free place', async () => {
    const id = await workflow(1);
    const queue = { ...QUEUE, most_waiting: 0 };
    await storeHeld(id, 1, { queue });
    expect(await durability.ownership.enqueue(held(id, { queue }))).toEqual({ kind: 'refused' });
  });

  test('the run that has waited longest is dropped, says so, and stays in history', async () => {
    const id = await workflow(1);
    const queue = { ...QUEUE, overflow: 'drop_oldest' } as const;
    const ids = await storeHeld(id, 5, { queue });
    const rows = await loadRows(id);
    expect(rows.map(({ status }) => status)).toEqual([
      'running',
      'cancelled',
      'cancelled',
      'running',
      'running',
    ]);
    expect(JSON.parse(rows[1]?.outputs ?? '')).toMatchObject({
      error: expect.stringContaining('dropped while it waited') as string,
      reason: 'queue_full',
    });
    expect((await durability.journal.load(ids[1] ?? ''))?.final).toMatchObject({
      status: 'cancelled',
      failure: { kind: 'cancelled', details: { reason: 'queue_full' } },
    });
    const { rows: ends } = await database.sql.query<{ total: number }>({
      text: 'SELECT sum(total)::int AS total FROM run_ends WHERE workflow_id = $1',
      values: [id],
    });
    expect(ends[0]?.total).toBe(2);
  });

  test('runs of a higher priority are claimed first, regardless of how far the queue is for others', async () => {
    const [high, low, quiet] = [await workflow(null), await workflow(null), await workflow(null)];
    for (let at = 0; at < 20; at++)
      await durability.ownership.enqueue({ ...sampleRun({ workflow_id: high }), priority: -1 });
    for (let at = 0; at < 5; at++) await durability.ownership.enqueue(sampleRun({ workflow_id: low }));
    const first = await durability.ownership.claim(20);
    expect(new Set(first.map(({ workflow_id }) => workflow_id))).toEqual(new Set([high]));
    await durability.ownership.enqueue(sampleRun({ workflow_id: quiet }));
    const next = await durability.ownership.claim(2);
    expect(next.map(({ workflow_id }) => workflow_id)).toContain(quiet);
  });

  test('the flood of one person takes one share, spread over however many workflows', async () => {
    const [many, one] = [await user(), await user()];
    const floods = await Promise.all(Array.from({ length: 5 }, () => workflow(null, many)));
    const single = await workflow(null, one);
    for (let round = 0; round < 20; round++)
      for (const workflow_id of [...floods, single])
        await durability.ownership.enqueue(sampleRun({ workflow_id }));
    const claimed = await durability.ownership.claim(30);
    const ofOne = claimed.filter(({ workflow_id }) => workflow_id === single).length;
    expect(ofOne).toBeGreaterThanOrEqual(11);
    expect(ofOne).toBeLessThanOrEqual(17);
  });
});
