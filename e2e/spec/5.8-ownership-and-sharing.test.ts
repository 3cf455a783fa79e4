import type { Workflow } from '@millrace/contracts';
import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
beforeAll(async () => {
  app = await shareTestApp();
});
beforeEach(async () => {
  [owner, friend] = [await app.user('Owner'), await app.user('Friend')];
});
afterAll(() => app.close());

const node = (id: string, type: string, data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const edge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });

/** input -> a node that puts an expression into its output. */
const showing = (expression: string) => ({
  nodes: [node('in', 'textInput'), node('show', 'set', { mappings: [{ key: 'value', value: expression }] })],
  edges: [edge('in', 'show')],
});

async function workflow(body: Record<string, unknown> = {}, user = owner): Promise<string> {
  const answer = await user.call('POST', '/api/workflows', { name: 'w', ...body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Workflow>().id;
}

const credential = async (user: TestUser, name: string, bearer_token: string) =>
  (await user.call('POST', '/api/credentials', { name, type: 'bearer', config: { bearer_token } })).json<{
    id: string;
  }>().id;

async function createTeam(user: TestUser, member: TestUser): Promise<string> {
  const { id } = (await user.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>();
  await user.call('POST', `/api/teams/${id}/members`, { email: member.email });
  return id;
}

describe('§5.8 sharing a workflow', () => {
  it('§5.8: gives access to canvas and execution history', async () => {
    const id = await workflow(showing('x'));
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    await owner.call('POST', `/api/workflows/${id}/execute`, {});
    expect((await friend.call('GET', `/api/workflows/${id}`)).json<Workflow>().nodes).toHaveLength(2);
    expect((await friend.call('GET', `/api/workflows/${id}/history`)).json()).toMatchObject({ total: 1 });
  });

  it('§5.8: taking a share back ends it at once, however the ids are written', async () => {
    const id = await workflow(showing('x'));
    const run = () => friend.call('POST', `/api/workflows/${id}/execute`, {});
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    expect((await run()).statusCode).toBe(200);
    const address = `/api/workflows/${id.toUpperCase()}/shares/${friend.id.toUpperCase()}`;
    expect((await owner.call('DELETE', address)).statusCode).toBe(204);
    expect((await run()).statusCode).toBe(404);
  });

  it('§5.8: does not share its credentials or its sub-workflows', async () => {
    const key = await credential(owner, 'KEY', 'tok-0123456789');
    const sub = await workflow(showing('sub'));
    const id = await workflow({
      nodes: [node('in', 'textInput'), node('sub', 'execute', { executeWorkflowId: sub })],
      edges: [edge('in', 'sub')],
    });
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    expect((await friend.call('GET', `/api/credentials/${key}`)).statusCode).toBe(404);
    expect((await friend.call('GET', `/api/workflows/${sub}`)).statusCode).toBe(404);
  });

  it('§5.8: access from a direct share and from a team are additive: one may end without the other', async () => {
    const id = await workflow();
    const team_id = await createTeam(owner, friend);
    const status = async () => (await friend.call('GET', `/api/workflows/${id}`)).statusCode;
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    await owner.call('POST', `/api/workflows/${id}/team-shares`, { team_id });
    await owner.call('DELETE', `/api/workflows/${id}/shares/${friend.id}`);
    expect(await status()).toBe(200);
    await owner.call('DELETE', `/api/workflows/${id}/team-shares/${team_id}`);
    expect(await status()).toBe(404);
  });
});

describe('§5.8 credentials in runs', () => {
  it('§5.8: owned, user-shared and team-shared merge into one context by name; own beats shared beats team', async () => {
    const lender = await app.user();
    const team_id = await createTeam(owner, friend);
    for (const name of ['A', 'B', 'C']) {
      const byTeam = await credential(owner, name, `team-${name}-0123456789`);
      await owner.call('POST', `/api/credentials/${byTeam}/team-shares`, { team_id });
    }
    for (const name of ['A', 'B']) {
      const byShare = await credential(lender, name, `share-${name}-0123456789`);
      await lender.call('POST', `/api/credentials/${byShare}/shares`, { email: friend.email });
    }
    await credential(friend, 'A', 'own-A-0123456789');
    const context = await app.services.run_secrets.credentialsByName(friend.id, ['A', 'B', 'C', 'D']);
    expect([...context].map(([name, item]) => [name, item.expression_value])).toEqual([
      ['A', 'own-A-0123456789'],
      ['B', 'share-B-0123456789'],
      ['C', 'team-C-0123456789'],
    ]);
  });

  it('§5.8: taking a share back ends its use at once', async () => {
    const id = await credential(owner, 'LENT', 'tok-0123456789');
    await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    const has = async () =>
      (await app.services.run_secrets.credentialsByName(friend.id, ['LENT'])).has('LENT');
    expect(await has()).toBe(true);
    await owner.call('DELETE', `/api/credentials/${id}/shares/${friend.id}`);
    expect(await has()).toBe(false);
  });

  it("§5.8: a collaborator's run uses the collaborator's credentials, not the owner's", async () => {
    await credential(owner, 'KEY', 'owners-0123456789');
    const id = await workflow(showing('$credentials.KEY'));
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    const run = async (user: TestUser) => (await user.call('POST', `/api/workflows/${id}/execute`, {})).body;
    expect(await run(owner)).toContain('owners-**');
    expect(await run(friend)).not.toContain('owners-');
    await credential(friend, 'KEY', 'friends-0123456789');
    expect(await run(friend)).toContain('friends**');
  });
});
