import { expect, test } from 'vitest';
import { type TestUser, until, useOwnTestApp } from '../../testing/index.ts';
import { purgeAudit } from './service.ts';

const app = await useOwnTestApp();
const admin = await app.user('Admin');
const owner = await app.user('Owner');
const other = await app.user('Other');

interface Page {
  items: Record<string, unknown>[];
  next_before: string | null;
}
const audit = async (user: TestUser, query = '') =>
  (await user.call('GET', `/api/audit${query}`)).json<Page>();

async function credential(user: TestUser): Promise<string> {
  const body = { name: `c${Math.random()}`, type: 'bearer', config: { bearer_token: 'topsecret-canary' } };
  return (await user.call('POST', '/api/credentials', body)).json<{ id: string }>().id;
}

test('says who did what to which object, without a secret', async () => {
  const id = await credential(owner);
  const { items } = await audit(owner, `?object_id=${id}`);
  expect(items).toMatchObject([
    {
      action: 'credential.created',
      object_kind: 'credential',
      actor_email: owner.email,
      outcome: 'done',
      details: { type: 'bearer' },
    },
  ]);
  expect(JSON.stringify(items)).not.toContain('topsecret');
});

test('a refused attempt is recorded for the owner of the object, whose reader does not learn the address', async () => {
  const id = await credential(owner);
  expect((await other.call('DELETE', `/api/credentials/${id}`)).statusCode).toBe(404);
  const [entry] = (await audit(owner, `?object_id=${id}&outcome=refused`)).items;
  expect(entry).toMatchObject({ action: 'deleteCredential', actor_email: other.email, client_ip: null });
  const [seenByActor] = (await audit(other, `?object_id=${id}`)).items;
  expect(seenByActor).toMatchObject({ outcome: 'refused', client_ip: expect.any(String) });
});

test('a refused attempt names the object as its changes do, whichever address it came by', async () => {
  const { id } = (await owner.call('POST', '/api/workflows', { name: 'w' })).json<{ id: string }>();
  await other.call('POST', `/api/workflows/${id}/shares`, { email: other.email });
  await other.call('PUT', `/workflows/${id}/schedule-deletion`);
  const { items } = await audit(owner, `?object_id=${id}`);
  expect(items.map((entry) => [entry['action'], entry['object_kind']])).toEqual([
    ['scheduleDeletion', 'workflow'],
    ['addWorkflowShare', 'workflow'],
    ['workflow.created', 'workflow'],
  ]);
});

test('an attempt at what is for administrators, or with a wrong password, is recorded too', async () => {
  const me = await app.user();
  expect((await me.call('POST', '/api/credentials/rotate-keys')).statusCode).toBe(403);
  const passwords = { current_password: 'wrong', new_password: 'Passw0rd!' };
  expect((await me.call('POST', '/api/auth/change-password', passwords)).statusCode).toBe(401);
  expect((await audit(me)).items).toMatchObject([
    { action: 'changePassword', outcome: 'refused', details: { code: 'unauthenticated' } },
    { action: 'rotateCredentialKeys', outcome: 'refused', details: { code: 'forbidden' } },
  ]);
});

test('ids of others in a bulk deletion are recorded, ids of nothing are not', async () => {
  const made = await owner.call('POST', '/api/global-variables', { name: 'bulk' });
  const { id } = made.json<{ id: string }>();
  const ids = [id, '11111111-1111-4111-8111-111111111111'];
  await other.call('POST', '/api/global-variables/bulk-delete', { ids });
  const { items } = await audit(owner, '?action=bulkDeleteGlobalVariables');
  expect(items).toMatchObject([{ object_id: id, object_name: 'bulk', outcome: 'refused' }]);
});

test('reading is not recorded', async () => {
  const id = await credential(owner);
  await other.call('GET', `/api/credentials/${id}`);
  expect((await audit(owner, `?object_id=${id}`)).items).toHaveLength(1);
});

test('a person sees entries about own objects and own deeds; an administrator may see all', async () => {
  const id = await credential(owner);
  expect((await audit(other, `?object_id=${id}`)).items).toEqual([]);
  expect((await other.call('GET', '/api/audit?all=true')).statusCode).toBe(403);
  expect((await audit(admin, `?object_id=${id}`)).items).toEqual([]);
  expect((await audit(admin, `?object_id=${id}&all=true`)).items).toHaveLength(1);
});

test('cancelling a run is recorded, and so is the attempt of a stranger', async () => {
  const nodes = [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    { id: 'wait', type: 'wait', position: { x: 1, y: 0 }, data: { label: 'wait', duration: 50_000 } },
  ];
  const edges = [{ id: 'e', source: 'in', target: 'wait' }];
  const created = await owner.call('POST', '/api/workflows', { name: 'Waits', nodes, edges });
  const { id } = created.json<{ id: string }>();
  const answer = owner.call('POST', `/api/workflows/${id}/execute`, {});
  const { live } = app.services.execution;
  const [run] = await until(async () => live.size > 0 && [...live.all]);
  const url = `/api/workflows/${id}/executions/${run?.run_id}/cancel`;
  expect((await other.call('POST', url)).statusCode).toBe(404);
  expect((await owner.call('POST', url)).statusCode).toBeLessThan(300);
  expect((await answer).statusCode).toBe(409);
  const { items } = await audit(owner, `?object_id=${id}`);
  expect(items.map((entry) => [entry['action'], entry['outcome']]).slice(0, 2)).toEqual([
    ['workflow.run_cancelled', 'done'],
    ['cancelExecution', 'refused'],
  ]);
});

test('clearing a response cache is recorded', async () => {
  const created = await owner.call('POST', '/api/workflows', { name: 'Cached' });
  const { id } = created.json<{ id: string }>();
  expect((await owner.call('DELETE', `/api/workflows/${id}/cache`)).statusCode).toBe(204);
  const { items } = await audit(owner, `?object_id=${id}`);
  expect(items.map((entry) => entry['action'])).toContain('workflow.cache_cleared');
});

test('pages by the id of the last entry neither repeat nor skip', async () => {
  const me = await app.user();
  for (let count = 0; count < 7; count++) await credential(me);
  const all = (await audit(me)).items.map((entry) => entry['id']);
  const paged: unknown[] = [];
  let before: string | null = '';
  for (;;) {
    const page: Page = await audit(me, `?limit=3${before ? `&before=${before}` : ''}`);
    paged.push(...page.items.map((entry) => entry['id']));
    before = page.next_before;
    if (!before) break;
  }
  expect(paged).toEqual(all);
});

test('retention removes what is older than the setting, 0 keeps everything', async () => {
  const me = await app.user();
  await credential(me);
  const { db } = app.services.database;
  const later = app.clock.now + 10 * 86_400_000;
  expect(await purgeAudit(db, { now_ms: later, days: 0 })).toBe(0);
  expect(await purgeAudit(db, { now_ms: later, days: 30 })).toBe(0);
  expect(await purgeAudit(db, { now_ms: later, days: 5 })).toBeGreaterThan(0);
  expect((await audit(me)).items).toEqual([]);
});
