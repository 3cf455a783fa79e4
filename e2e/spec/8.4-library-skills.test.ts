import type { JsonObject } from '@millrace/engine';
import { chatStream, type FakeProvider, startFakeProvider } from '@millrace/models/testing';
import {
  createWorkflow,
  executeUrl,
  graph,
  shareTestApp,
  storeModelCredential,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let server: FakeProvider;
let app: TestApp;
let owner: TestUser;
let author: TestUser;
let credentialId: string;
beforeAll(async () => {
  server = await startFakeProvider(() => ({ chunks: chatStream(['done']) }));
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  owner = await app.user();
  author = await app.user('Author');
  credentialId = await storeModelCredential(owner, server.url);
});
beforeEach(() => {
  server.seen.length = 0;
});
afterAll(async () => {
  await app.close();
  server.stop();
});

let names = 0;

async function createSkill(user: TestUser, content: string): Promise<{ id: string; name: string }> {
  return (await user.call('POST', '/api/skills', { name: `prices ${++names}`, content })).json();
}

const workflowWith = (...skills: JsonObject[]) =>
  createWorkflow(
    owner,
    graph(
      [
        ['start', 'textInput'],
        ['lead', 'agent', { credentialId, model: 'm1', userMessage: 'Go', skills }],
        ['out', 'output', { message: '$lead.skills_used' }],
      ],
      ['start>lead', 'lead>out'],
    ),
  );

/** The text that the model was told before its question. */
const told = () => JSON.stringify(server.seen.at(-1)?.body);

const noSkill = (name: string) => `names \\"${name}\\", which is no longer in the library or not shared`;

describe('§8.4: agents use skills of the library', () => {
  it('the newest version, or the one that they name, beside skills of their own', async () => {
    const { id, name } = await createSkill(owner, '# First text');
    const newest = await workflowWith({ name, librarySkillId: id }, { name: 'own', content: '# Own text' });
    const fixed = await workflowWith({ librarySkillId: id, libraryVersion: 1 });
    await owner.call('PATCH', `/api/skills/${id}`, { content: '# Second text' });
    const run = await owner.call('POST', executeUrl(newest), { text: 'x' });
    expect(told()).toContain('# Second text');
    expect(told()).toContain('# Own text');
    expect(run.body).toContain(name);
    await owner.call('POST', executeUrl(fixed), { text: 'x' });
    expect(told()).toContain('# First text');
  });

  it('with the rights of the owner of the workflow, for as long as a share lasts', async () => {
    const { id, name } = await createSkill(author, '# Shared text');
    const workflow = await workflowWith({ name, librarySkillId: id });
    const refused = await owner.call('POST', executeUrl(workflow), { text: 'x' });
    expect(refused.body).toContain(noSkill(name));
    expect(server.seen).toEqual([]);
    await author.call('POST', `/api/skills/${id}/shares`, { email: owner.email });
    await owner.call('POST', executeUrl(workflow), { text: 'x' });
    expect(told()).toContain('# Shared text');
    const reader = await app.user('Reader');
    await owner.call('POST', `/api/workflows/${workflow}/shares`, { email: reader.email });
    server.seen.length = 0;
    await owner.call('POST', `/api/credentials/${credentialId}/shares`, { email: reader.email });
    await reader.call('POST', executeUrl(workflow), { text: 'x' });
    expect(told()).toContain('# Shared text');
    await author.call('DELETE', `/api/skills/${id}/shares/${owner.id}`);
    server.seen.length = 0;
    expect((await owner.call('POST', executeUrl(workflow), { text: 'x' })).body).toContain(noSkill(name));
    expect(server.seen).toEqual([]);
  });

  it('a version that is not kept any more is an error that names the skill', async () => {
    const { id, name } = await createSkill(owner, '# Text');
    const workflow = await workflowWith({ name, librarySkillId: id, libraryVersion: 7 });
    const refused = await owner.call('POST', executeUrl(workflow), { text: 'x' });
    expect(refused.body).toContain(`names version 7 of \\"${name}\\"`);
  });
});
