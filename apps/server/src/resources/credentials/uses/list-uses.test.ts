import type { CredentialUse } from '@millrace/contracts';
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

async function listUses(user: TestUser, id: string): Promise<string[]> {
  const answer = await user.call('GET', `/api/credentials/${id}/used-by`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<CredentialUse[]>().map(({ workflow_name }) => workflow_name);
}

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

test('only workflows that the person can see are named, and a credential that is not shared is unknown', async () => {
  const id = await create(owner, 'Shared');
  await owner.call('POST', `/api/credentials/${id}/shares`, { email: member.email });
  await createWorkflow(owner, 'of the owner', byId(id));
  await createWorkflow(member, 'of the member', byId(id));
  // The name means a credential of their own first.
  await createWorkflow(member, 'by name', request("curl -H 'X: $credentials.Shared' https://a.example"));
  expect(await listUses(owner, id)).toEqual(['of the owner']);
  expect(await listUses(member, id)).toEqual(['of the member']);
  expect((await stranger.call('GET', `/api/credentials/${id}/used-by`)).statusCode).toBe(404);
});
