import { expect, test } from 'vitest';
import { createWorkflow, executeUrl, graph, until } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestUser } from '../../testing/test-app.ts';
import { describeOnBoth } from '../journal/testing/databases.ts';

const MOST = 12;

/** Starts itself three times, and each of those three times, and so on: 88,572 runs until it is too deep. */
async function bomb(user: TestUser, data: { executeDoNotWait: boolean }): Promise<string> {
  const id = await createWorkflow(user, graph([['start', 'textInput']], []));
  const call = { executeWorkflowId: id, executeInput: '$start.body', ...data };
  const document = graph(
    [
      ['start', 'textInput'],
      // Long enough that runs which were started are still there when others start.
      ['pause', 'wait', { duration: 50 }],
      ['one', 'execute', call],
      ['two', 'execute', call],
      ['three', 'execute', call],
    ],
    ['start>pause', 'pause>one', 'pause>two', 'pause>three'],
  );
  await user.call('PUT', `/api/workflows/${id}`, document);
  return id;
}

describeOnBoth('runs that start runs', (kind) => {
  async function explode(data: { executeDoNotWait: boolean }) {
    const database = await kind.open();
    const app = await createTestApp({ database, env: { RUN_MAX_DESCENDANTS: String(MOST) } });
    try {
      const user = await app.user();
      const id = await bomb(user, data);
      const answer = await user.call('POST', executeUrl(id), {});
      const left = async () => (await user.call('GET', '/api/workflows/executions/active')).json<unknown[]>();
      await until(async () => (await left()).length === 0, 15_000);
      const list = await user.call(
        'GET',
        `/api/workflows/${id}/history?limit=100&search=RUN_MAX_DESCENDANTS`,
      );
      const all = await user.call('GET', `/api/workflows/${id}/history?limit=1`);
      const { total } = all.json<{ total: number }>();
      return { answer, refused: list.json<{ total: number }>().total, total };
    } finally {
      await app.close();
    }
  }

  // Those that start at the same moment do not see each other yet, so a few more than the limit may come to be.
  test('without waiting do not fill the queue: the one that would be too many fails and says why', async () => {
    const { refused, total } = await explode({ executeDoNotWait: true });
    expect(refused).toBeGreaterThan(0);
    expect(total).toBeLessThan(40 * MOST);
  });

  test('and wait for them end the same way', async () => {
    const { answer, refused, total } = await explode({ executeDoNotWait: false });
    expect(answer.statusCode).toBe(200);
    expect(refused).toBeGreaterThan(0);
    expect(total).toBeLessThan(10 * MOST);
  });
});
