import type { CardStatus } from '@millrace/contracts';
import {
  BOARD_ROUNDS,
  type BoardWorld,
  cardUrl,
  createBoardWorld,
  createWorkflow,
  fetchHistory,
  graph,
  moveCard,
  readCard,
  shareTestApp,
  startClaimedWork,
  type TestApp,
  type TestUser,
  telling,
  until,
} from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let stop: () => Promise<void>;
beforeAll(async () => {
  app = await shareTestApp();
  stop = startClaimedWork(app.services, [BOARD_ROUNDS]);
});
beforeEach(async () => {
  [owner, friend] = [await app.user('Owner'), await app.user('Friend')];
});
afterAll(async () => {
  await stop();
  await app.close();
});

/** A board of the owner's that the friend may change. */
async function shared(...chains: string[][]): Promise<BoardWorld> {
  const at = await createBoardWorld(owner, ...chains);
  const share = { email: friend.email, permission: 'write' };
  expect((await owner.call('POST', `/api/boards/${at.board}/shares`, share)).statusCode).toBe(200);
  return at;
}
const reaches = (at: BoardWorld, status: CardStatus) =>
  until(async () => {
    const card = await readCard(at, owner);
    return card.run_status === status && card;
  });
/** Only the owner may call it over HTTP. */
const create = (content: Parameters<typeof createWorkflow>[1], user = owner) =>
  createWorkflow(user, content, { auth_type: 'jwt' });

describe('§5.7 board runs: JWT of the board owner', () => {
  it("§5.7: the run is the owner's, regardless of who moved the card: it has the credentials of the owner", async () => {
    for (const user of [owner, friend]) {
      const config = { bearer_token: `${user.id} has a secret` };
      await user.call('POST', '/api/credentials', { name: 'of_the_run', type: 'bearer', config });
    }
    const isOwners = `$credentials.of_the_run == "${owner.id} has a secret"`;
    const workflow = await create(telling(isOwners));
    const at = await shared([workflow]);
    expect((await moveCard(at, 1, friend)).statusCode).toBe(200);
    const card = await reaches(at, 'done');
    expect(card.runs).toMatchObject([{ output: { out: { result: true } } }]);
    expect((await friend.call('GET', `/api/workflows/${workflow}`)).statusCode).toBe(404);
  });

  it('§5.7: a workflow that the owner may not run does not run, though the person who moves the card may', async () => {
    const theirs = await create(telling('x'), friend);
    const share = `/api/workflows/${theirs}/shares`;
    await friend.call('POST', share, { email: owner.email });
    const at = await shared([theirs]);
    await friend.call('DELETE', `${share}/${owner.id}`);
    await moveCard(at, 1, friend);
    const card = await reaches(at, 'failed');
    expect(card.runs).toMatchObject([{ error: 'Workflow not found', execution_history_id: null }]);
    expect(await fetchHistory(theirs, friend)).toEqual([]);
  });

  it('§5.7: a card is moved and run with the JWT of a session alone, and nothing starts without it', async () => {
    const workflow = await create(telling('x'));
    const at = await createBoardWorld(owner, [workflow]);
    const issued = await owner.call('POST', `/api/workflows/${workflow}/execution-tokens`, {
      ttl_seconds: 900,
    });
    expect(issued.statusCode, issued.body).toBe(200);
    const { token } = issued.json<{ token: string }>();
    const requests: [string, object][] = [
      [`${cardUrl(at)}/move`, { to_column_id: at.columns[1] }],
      [`${cardUrl(at)}/run`, {}],
    ];
    for (const [url, body] of requests) {
      expect((await app.call('POST', url, body)).statusCode).toBe(401);
      const headers = { authorization: `Bearer ${token}` };
      expect((await app.call('POST', url, body, headers)).statusCode).toBe(401);
    }
    const reader = { email: friend.email, permission: 'read' };
    await owner.call('POST', `/api/boards/${at.board}/shares`, reader);
    expect((await moveCard(at, 1, friend)).statusCode).toBe(403);
    expect(await readCard(at, owner)).toMatchObject({
      run_status: 'idle',
      column_id: at.columns[0],
      runs: [],
    });
    expect(await fetchHistory(workflow, owner)).toEqual([]);
  });

  it("§5.7: a run that a graph starts below is the owner's too", async () => {
    const child = await create(telling('"below"'));
    const parent = await create(
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child }],
          ['out', 'output', { message: '$call.outputs' }],
        ],
        ['start>call', 'call>out'],
      ),
    );
    const at = await shared([parent]);
    await moveCard(at, 1, friend);
    await reaches(at, 'done');
    const { rows } = await app.services.database.sql.query<{ actor_id: string }>({
      text: 'SELECT actor_id FROM runs WHERE workflow_id = ANY ($1::uuid[])',
      values: [[parent, child]],
    });
    expect(rows).toEqual([{ actor_id: owner.id }, { actor_id: owner.id }]);
  });
});
