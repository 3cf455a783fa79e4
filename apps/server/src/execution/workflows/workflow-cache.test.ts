import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryBroadcast } from '../../adapters/memory/broadcast.ts';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import { canSeeWorkflow } from '../../resources/workflows/access.ts';
import { createHandClock } from '../../testing/hand-clock.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import { createAccessCache } from './access-cache.ts';
import { createWorkflowCache, type WorkflowCache } from './workflow-cache.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function insertUser(): Promise<string> {
  const id = newId();
  await database.sql.query({
    text: `INSERT INTO users (id, email, password_hash, name) VALUES ($1, $2, 'x', 'Test')`,
    values: [id, `${id}@example.com`],
  });
  return id;
}

async function insertVersion(workflow_id: string, number: number, label: string): Promise<string> {
  const id = newId();
  const nodes = [{ id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label } }];
  await database.sql.query({
    text: `INSERT INTO workflow_versions (id, workflow_id, version_number, name, nodes, edges, settings)
      VALUES ($1, $2, $3, 'Test', $4, '[]', '{}')`,
    values: [id, workflow_id, number, JSON.stringify(nodes)],
  });
  return id;
}

async function insertWorkflow(owner: string, label = 'first'): Promise<string> {
  const id = newId();
  await database.sql.query({
    text: `INSERT INTO workflows (id, name, owner_id, version_id) VALUES ($1, 'Test', $2, $3)`,
    values: [id, owner, newId()],
  });
  const version = await insertVersion(id, 1, label);
  await database.sql.query({
    text: 'UPDATE workflows SET version_id = $2 WHERE id = $1',
    values: [id, version],
  });
  return id;
}

/** Counts what is asked of the database. */
function counting(sql: SqlClient): SqlClient & { asked: number } {
  const counted = {
    asked: 0,
    query<Row>(statement: Parameters<SqlClient['query']>[0]) {
      counted.asked += 1;
      return sql.query<Row>(statement);
    },
  };
  return counted;
}

let owner: string;
let broadcast: Broadcast;
let sql: ReturnType<typeof counting>;
let cache: WorkflowCache;
let changes: ReturnType<typeof createHandClock>;
beforeEach(async () => {
  owner ??= await insertUser();
  broadcast = createMemoryBroadcast();
  sql = counting(database.sql);
  changes = createHandClock();
  cache = createWorkflowCache({ sql, broadcast, changes });
});

const loadLabel = async (id: string) => (await cache.published(id))?.version.graph.nodes[0]?.label;

describe('published workflows', () => {
  test('are read once and then answered without a promise', async () => {
    const id = await insertWorkflow(owner);
    expect(await loadLabel(id)).toBe('first');
    const asked = sql.asked;
    expect(cache.published(id)).not.toBeInstanceOf(Promise);
    expect(await loadLabel(id)).toBe('first');
    expect(sql.asked).toBe(asked);
  });

  test('are read once for many who ask at the same time', async () => {
    const id = await insertWorkflow(owner);
    const found = await Promise.all(Array.from({ length: 20 }, async () => cache.published(id)));
    expect(new Set(found).size).toBe(1);
    expect(sql.asked).toBe(2);
  });

  test('that do not exist are unknown, and what is no id asks nothing', async () => {
    expect(await cache.published(newId())).toBeUndefined();
    const asked = sql.asked;
    expect(cache.published("'; DROP TABLE runs; --")).toBeUndefined();
    expect(sql.asked).toBe(asked);
  });

  test('change the moment that a change is announced', async () => {
    const id = await insertWorkflow(owner);
    await loadLabel(id);
    const next = await insertVersion(id, 2, 'second');
    await database.sql.query({
      text: 'UPDATE workflows SET version_id = $2 WHERE id = $1',
      values: [id, next],
    });
    broadcast.publish('workflow_changed', id);
    expect(await loadLabel(id)).toBe('second');
  });

  test('that change while they are read are not kept as they were', async () => {
    const id = await insertWorkflow(owner);
    const reading = cache.published(id);
    broadcast.publish('workflow_changed', id);
    await reading;
    expect(cache.published(id)).toBeInstanceOf(Promise);
  });

  const publishNext = async (id: string) => {
    const next = await insertVersion(id, 2, 'second');
    await database.sql.query({
      text: 'UPDATE workflows SET version_id = $2 WHERE id = $1',
      values: [id, next],
    });
  };

  test('are read again once the clock tells of a change, with or without a hint', async () => {
    const id = await insertWorkflow(owner);
    await loadLabel(id);
    await publishNext(id);
    expect(await loadLabel(id)).toBe('first');
    changes.seen += 1;
    expect(await loadLabel(id)).toBe('second');
  });

  test('that are being read are read again by callers that know of a later change', async () => {
    const id = await insertWorkflow(owner);
    const early = cache.published(id);
    await publishNext(id);
    changes.seen += 1;
    expect(await loadLabel(id)).toBe('second');
    await early;
    expect(await loadLabel(id)).toBe('second');
  });

  test('keep their graph when the change was another one', async () => {
    const id = await insertWorkflow(owner);
    const before = await cache.published(id);
    changes.seen += 1;
    const asked = sql.asked;
    const after = await cache.published(id);
    expect(after?.version).toBe(before?.version);
    expect(sql.asked).toBe(asked + 1);
  });

  test('keep the graph of a version that is pinned', async () => {
    const id = await insertWorkflow(owner);
    const first = (await cache.published(id))?.version.id ?? '';
    const next = await insertVersion(id, 2, 'second');
    await database.sql.query({
      text: 'UPDATE workflows SET version_id = $2 WHERE id = $1',
      values: [id, next],
    });
    broadcast.publish('workflow_changed', id);
    expect((await cache.pinned(id, first))?.version.graph.nodes[0]?.label).toBe('first');
    expect((await cache.pinned(id, next))?.version.graph.nodes[0]?.label).toBe('second');
    expect(await cache.pinned(id, newId())).toBeUndefined();
    expect(await cache.pinned(await insertWorkflow(owner), first)).toBeUndefined();
  });

  test('are another matter than the draft, which is kept for the runs that start with it', async () => {
    const id = await insertWorkflow(owner);
    expect((await cache.draft(id))?.version).toMatchObject({ number: 1 });
    const save = async (label: string) => {
      const draft_id = newId();
      const nodes = [{ id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label } }];
      await database.sql.query({
        text: `INSERT INTO workflow_drafts (id, workflow_id, nodes, edges, saved_at) VALUES ($1, $2, $3, '[]', now())`,
        values: [draft_id, id, JSON.stringify(nodes)],
      });
      await database.sql.query({
        text: 'UPDATE workflows SET draft_id = $2 WHERE id = $1',
        values: [id, draft_id],
      });
      return draft_id;
    };
    const first = await save('draft');
    const draft = await cache.draft(id);
    expect(draft?.version).toMatchObject({ id: first, number: null });
    expect(draft?.version.graph.nodes[0]?.label).toBe('draft');
    expect(await loadLabel(id)).toBe('first');
    await save('next');
    // Another process, or this one after a restart, continues the run.
    const restarted = createWorkflowCache({ sql, broadcast, changes });
    expect((await restarted.pinned(id, first))?.version.graph.nodes[0]?.label).toBe('draft');
    const { rows } = await database.sql.query({
      text: 'SELECT was_run FROM workflow_drafts WHERE workflow_id = $1 ORDER BY was_run',
      values: [id],
    });
    expect(rows).toEqual([{ was_run: false }, { was_run: true }]);
    expect(await cache.draft(newId())).toBeUndefined();
  });

  test('leave when there are too many of them', async () => {
    const small = createWorkflowCache({
      sql,
      broadcast,
      changes,
      max_bytes: 20_000,
    });
    for (let at = 0; at < 10; at++) await small.published(await insertWorkflow(owner));
    expect(small.size().workflows).toBeLessThan(10);
    expect(small.size().bytes).toBeLessThanOrEqual(40_000);
  });
});

describe('access', () => {
  const canSee = (user_id: string, workflow_id: string) => canSeeWorkflow(database.db, user_id, workflow_id);

  test('is known at once after the first look, and ends with a hint', async () => {
    const stranger = await insertUser();
    const id = await insertWorkflow(owner);
    const access = createAccessCache({ canSee, broadcast, changes });
    expect(await access.has(id, owner)).toBe(true);
    expect(access.has(id, owner)).toBe(true);
    expect(await access.has(id, stranger)).toBe(false);
    await database.sql.query({
      text: 'INSERT INTO workflow_shares (workflow_id, user_id) VALUES ($1, $2)',
      values: [id, stranger],
    });
    broadcast.publish('access_changed', `workflow:${id}`);
    expect(await access.has(id, stranger)).toBe(true);
    await database.sql.query({ text: 'DELETE FROM workflow_shares WHERE user_id = $1', values: [stranger] });
    broadcast.publish('access_changed', `user:${stranger}`);
    expect(await access.has(id, stranger)).toBe(false);
  });

  test('is looked up again once the clock tells of a change', async () => {
    const id = await insertWorkflow(owner);
    const access = createAccessCache({ canSee, broadcast, changes });
    await access.has(id, owner);
    changes.seen += 1;
    const again = access.has(id, owner);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toBe(true);
  });
});
