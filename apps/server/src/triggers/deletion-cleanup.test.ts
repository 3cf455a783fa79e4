import { expect, test } from 'vitest';
import { useOwnTestApp } from '../testing/index.ts';
import { cleanUpDeletions } from './deletion-cleanup.ts';

const app = await useOwnTestApp();
const owner = await app.user();

const node = (id: string, type: string, active?: unknown) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...(active === undefined ? {} : { active }) },
});

async function scheduled(name: string, nodes: unknown[], edges: unknown[] = []): Promise<string> {
  const { id } = (await owner.call('POST', '/api/workflows', { name, nodes, edges })).json<{ id: string }>();
  const answer = await owner.call('PUT', `/workflows/${id}/schedule-deletion`);
  expect(answer.statusCode, answer.body).toBe(200);
  return id;
}

const fetchStatus = async (id: string) => (await owner.call('GET', `/api/workflows/${id}`)).statusCode;

const fetchAuditEntry = async (id: string) =>
  (await owner.call('GET', `/api/audit?object_id=${id}&limit=1`)).json<{ items: Record<string, unknown>[] }>()
    .items[0];

test('§3.3: deletes where every start node is inactive, keeps the others, and says so', async () => {
  const off = await scheduled('off', [node('a', 'textInput', false), node('b', 'cron', false)]);
  const half = await scheduled('half', [node('a', 'textInput', false), node('b', 'cron', true)]);
  const unset = await scheduled('unset', [node('a', 'textInput')]);
  const text = await scheduled('text', [node('a', 'cron', 'false')]);
  const noted = await scheduled('noted', [node('a', 'textInput', false), node('note', 'sticky', true)]);
  const handled = await scheduled('handled', [
    node('a', 'textInput', false),
    node('oops', 'errorHandler', true),
    node('unset', 'errorHandler'),
  ]);
  const behind = await scheduled(
    'behind',
    [node('a', 'cron', false), node('b', 'set', true)],
    [{ id: 'e', source: 'a', target: 'b' }],
  );
  const body = { name: 'not scheduled', nodes: [node('a', 'cron', false)] };
  const { id: free } = (await owner.call('POST', '/api/workflows', body)).json<{ id: string }>();
  const outcome = await cleanUpDeletions(app.services);
  const [deleted, kept] = [
    [off, noted, handled, behind],
    [half, unset, text],
  ];
  expect(outcome.deleted.sort()).toEqual(deleted.toSorted());
  expect(outcome.kept.sort()).toEqual(kept.toSorted());
  for (const id of deleted) expect(await fetchStatus(id)).toBe(404);
  for (const id of [...kept, free]) expect(await fetchStatus(id)).toBe(200);
  expect(await fetchAuditEntry(off)).toMatchObject({
    action: 'workflow.deleted',
    actor_email: null,
    details: { by: 'deletion schedule' },
  });
  expect(await fetchAuditEntry(half)).toMatchObject({
    action: 'workflow.deletion_postponed',
    details: { reason: 'a start node is still active' },
  });
});

test('§3.3: what stays goes with a later run, once its start nodes are inactive', async () => {
  const id = await scheduled('later', [node('a', 'textInput', true)]);
  await cleanUpDeletions(app.services);
  expect(await fetchStatus(id)).toBe(200);
  await owner.call('PUT', `/api/workflows/${id}`, { nodes: [node('a', 'textInput', false)] });
  await cleanUpDeletions(app.services);
  expect(await fetchStatus(id)).toBe(404);
});

test('§3.3, §4.5: DELETE schedule-deletion restores: the job leaves it alone', async () => {
  const id = await scheduled('restored', [node('a', 'textInput', false)]);
  expect((await owner.call('DELETE', `/workflows/${id}/schedule-deletion`)).json()).toMatchObject({
    scheduled_for_deletion: null,
  });
  await cleanUpDeletions(app.services);
  expect(await fetchStatus(id)).toBe(200);
});

test('§3.3: one workflow that cannot be deleted does not keep the others', async () => {
  const bad = await scheduled('bad', [node('a', 'textInput', false)]);
  const good = await scheduled('good', [node('a', 'textInput', false)]);
  const sql = (text: string) => app.services.database.sql.query({ text });
  await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF OLD.id = '${bad}' THEN RAISE EXCEPTION 'refused'; END IF; RETURN OLD; END $$`);
  await sql('CREATE TRIGGER refuse BEFORE DELETE ON workflows FOR EACH ROW EXECUTE FUNCTION refuse()');
  expect(await cleanUpDeletions(app.services)).toMatchObject({
    deleted: expect.arrayContaining([good]) as string[],
    failed: [bad],
  });
  expect([await fetchStatus(bad), await fetchStatus(good)]).toEqual([200, 404]);
  await sql('DROP TRIGGER refuse ON workflows');
});

test('§3.3: workflows are told of the deletion behind the last change, as of one by hand', async () => {
  const id = await scheduled('ahead', [node('a', 'textInput', false)]);
  const { sql } = app.services.database;
  await sql.query({
    text: `UPDATE workflows SET updated_at = updated_at + interval '1 hour' WHERE id = $1`,
    values: [id],
  });
  const times = async (text: string) =>
    (await sql.query<{ at: Date }>({ text, values: [id] })).rows[0]?.at.getTime();
  const changed = await times('SELECT updated_at AS at FROM workflows WHERE id = $1');
  await cleanUpDeletions(app.services);
  const told = await times(
    `SELECT (payload::json ->> 'updated_at')::timestamptz AS at FROM platform_events
      WHERE workflow_id = $1 AND name = 'workflow.deleted'`,
  );
  expect(told).toBe((changed ?? 0) + 1);
});
