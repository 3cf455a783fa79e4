import type { CredentialUses } from '@millrace/contracts';
import { expect, test } from 'vitest';
import type { TestUser } from '../../../testing/test-app.ts';
import { useTestApp } from '../../../testing/test-app.ts';

const app = await useTestApp();
const owner = await app.user();
const member = await app.user();
const stranger = await app.user();

async function create(user: TestUser, name: string): Promise<string> {
  const body = { name, type: 'bearer', config: { bearer_token: 'secret' } };
  const answer = await user.call('POST', '/api/credentials', body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

const request = (curl: string) => ({
  nodes: [{ id: 'n', type: 'http', position: { x: 0, y: 0 }, data: { label: 'n', curl } }],
  edges: [],
});
const byId = (credentialId: string) => ({
  nodes: [{ id: 'n', type: 'telegram', position: { x: 0, y: 0 }, data: { label: 'n', credentialId } }],
  edges: [],
});

async function createWorkflow(user: TestUser, name: string, graph: object): Promise<string> {
  const answer = await user.call('POST', '/api/workflows', { name, ...graph });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

async function readUses(user: TestUser, id: string): Promise<CredentialUses> {
  const answer = await user.call('GET', `/api/credentials/${id}/used-by`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<CredentialUses>();
}

const listUses = async (user: TestUser, id: string): Promise<string[]> =>
  (await readUses(user, id)).items.map(({ name }) => name);

test('a credential names the workflows that use it by id or by name, also those whose draft alone does', async () => {
  const id = await create(owner, 'CRM');
  await create(owner, 'Other');
  await createWorkflow(owner, 'by id', byId(id));
  await createWorkflow(
    owner,
    'by name',
    request("curl -H 'Authorization: Bearer $credentials.CRM' https://a.example"),
  );
  await createWorkflow(owner, 'other', request("curl -H 'X: $credentials.Other' https://a.example/CRM"));
  const drafted = await createWorkflow(owner, 'a draft', request('curl https://a.example'));
  const saved = await owner.call('PUT', `/api/workflows/${drafted}?draft=true`, byId(id));
  expect(saved.statusCode, saved.body).toBe(200);
  expect(await listUses(owner, id)).toEqual(['a draft', 'by id', 'by name']);
});

const byName = (name: string) => request(`curl -H 'X: $credentials.${name}' https://a.example`);

test('workflows that the person cannot see are counted for the owner alone, and a credential that is not shared is unknown', async () => {
  const id = await create(owner, 'Shared');
  await owner.call('POST', `/api/credentials/${id}/shares`, { email: member.email });
  await createWorkflow(owner, 'of the owner', byId(id));
  await createWorkflow(member, 'of the member', byId(id));
  await createWorkflow(member, 'by name', byName('Shared'));
  expect(await readUses(owner, id)).toMatchObject({
    items: [{ kind: 'workflow', name: 'of the owner' }],
    hidden_count: 2,
    has_more: false,
  });
  expect(await listUses(member, id)).toEqual(['by name', 'of the member']);
  expect((await readUses(member, id)).hidden_count).toBe(0);
  expect((await stranger.call('GET', `/api/credentials/${id}/used-by`)).statusCode).toBe(404);
});

test('a name in a workflow of another person means a credential of their own first', async () => {
  const id = await create(owner, 'Mail');
  await owner.call('POST', `/api/credentials/${id}/shares`, { email: member.email });
  await create(member, 'Mail');
  const { nodes } = byName('Mail');
  const note = {
    id: 'note',
    type: 'sticky',
    position: { x: 0, y: 0 },
    data: { label: 'note', note: `not ${id}` },
  };
  const workflow = await createWorkflow(member, 'of another', { nodes: [...nodes, note], edges: [] });
  await member.call('POST', `/api/workflows/${workflow}/shares`, { email: owner.email });
  expect(await readUses(owner, id)).toEqual({ items: [], hidden_count: 0, has_more: false });
});

test('a node that computes names hides no definite one, neither beside it nor in it', async () => {
  const id = await create(owner, 'Definite');
  const computed = request("curl -H 'X: $credentials[input.name]' https://a.example").nodes;
  const [named] = byName('Definite').nodes;
  await createWorkflow(owner, 'beside', { nodes: [...computed, { ...named, id: 'm' }], edges: [] });
  await createWorkflow(
    owner,
    'in it',
    request("curl -H 'X: $credentials[input.name]' -H 'Y: $credentials.Definite' https://a.example"),
  );
  await createWorkflow(owner, 'only computed', request("curl -H 'X: $credentials[input.name]' https://a.ex"));
  expect(await listUses(owner, id)).toEqual(['beside', 'in it']);
});

test('a name that JSON writes with escapes is found', async () => {
  const id = await create(owner, 'the "new" one');
  await createWorkflow(
    owner,
    'quoted',
    request(`curl -H 'X: $credentials["the \\"new\\" one"]' https://a.example`),
  );
  expect(await listUses(owner, id)).toEqual(['quoted']);
});

test('model routers and boards that use it are named too', async () => {
  const model = { type: 'openai', config: { api_key: 'sk-test' } };
  const ids: string[] = [];
  for (const name of ['a model', 'another model']) {
    const made = await owner.call('POST', '/api/credentials', { name, ...model });
    expect(made.statusCode, made.body).toBe(201);
    ids.push(made.json<{ id: string }>().id);
  }
  const decision = await owner.call('POST', '/api/credentials', {
    name: 'decides',
    type: 'decision',
    config: { base_url: 'https://decide.example', api_key: 'key' },
  });
  expect(decision.statusCode, decision.body).toBe(201);
  const router = await owner.call('POST', '/api/credentials', {
    name: 'chooses',
    type: 'model_router',
    config: {
      decision_credential_id: decision.json<{ id: string }>().id,
      decision_model: 'm',
      options: ids.map((credential_id, index) => ({ label: `o${index}`, credential_id, model: 'm' })),
    },
  });
  expect(router.statusCode, router.body).toBe(201);
  const board = await owner.call('POST', '/api/boards', {
    name: 'maps',
    mapper_model: 'm',
    mapper_credential_id: ids[0],
  });
  expect(board.statusCode, board.body).toBe(201);
  const [used = '', other = ''] = ids;
  expect((await readUses(owner, used)).items).toMatchObject([
    { kind: 'model_router', name: 'chooses' },
    { kind: 'board', name: 'maps' },
  ]);
  expect(await listUses(owner, other)).toEqual(['chooses']);
});

test('one request reads a limited number of workflows, and says when there may be more', async () => {
  const id = await create(owner, 'Common');
  for (let count = 0; count < 201; count += 1) await createWorkflow(owner, `common ${count}`, byId(id));
  const uses = await readUses(owner, id);
  expect(uses.items).toHaveLength(200);
  expect(uses.has_more).toBe(true);
});
