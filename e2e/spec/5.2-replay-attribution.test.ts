import type { HistoryEntry } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createWorkflow,
  executeUrl,
  graph,
  until,
} from '../../apps/server/src/resources/executions/testing/workflows.ts';
import { shareTestApp, type TestApp, type TestUser } from '../../apps/server/src/testing/test-app.ts';

const OF_OWNER = 'owner-token-0123456789';
const OF_MEMBER = 'member-token-0123456789';

describe('§5.2 rule 6: a replay belongs to the person who starts it', () => {
  let app: TestApp;
  let owner: TestUser;
  let member: TestUser;
  let workflow: string;
  let run: string;
  beforeAll(async () => {
    app = await shareTestApp();
    [owner, member] = [await app.user(), await app.user()];
    for (const [user, bearer_token] of [
      [owner, OF_OWNER],
      [member, OF_MEMBER],
    ] as const)
      await user.call('POST', '/api/credentials', { name: 'KEY', type: 'bearer', config: { bearer_token } });
    const length = (id: string): [string, string, { mappings: { key: string; value: string }[] }] => [
      id,
      'set',
      { mappings: [{ key: 'length', value: '$credentials.KEY.length' }] },
    ];
    const content = graph(
      [['start', 'textInput'], length('first'), ['pause', 'wait', { duration: 1 }], length('second')],
      ['start>first', 'first>pause', 'pause>second'],
    );
    workflow = await createWorkflow(owner, content);
    await owner.call('POST', `/api/workflows/${workflow}/shares`, { email: member.email });
    run = String((await owner.call('POST', executeUrl(workflow), {})).headers['x-execution-id']);
  });
  afterAll(() => app.close());

  const replay = async (user: TestUser, body: object) => {
    const url = `/api/workflows/${workflow}/executions/${run}/replay`;
    const { execution_id } = (await user.call('POST', url, body)).json<{ execution_id: string }>();
    return until(async () => {
      const read = await user.call('GET', `/api/workflows/history/all/${execution_id}`);
      const entry = read.json<HistoryEntry>();
      return entry.status === 'success' && entry;
    });
  };
  const lengthIn = (entry: HistoryEntry, id: string) =>
    (entry.node_results.find(({ node_id }) => node_id === id)?.output as { length: unknown } | undefined)
      ?.length;

  test('nodes that run use the credentials of that person', async () => {
    expect(lengthIn(await replay(owner, { from: 'start' }), 'second')).toBe(OF_OWNER.length);
    expect(lengthIn(await replay(member, { from: 'start' }), 'second')).toBe(OF_MEMBER.length);
  });

  test('results that stand are those of the earlier run', async () => {
    const entry = await replay(member, { from: 'node', node_id: 'second' });
    expect(lengthIn(entry, 'first')).toBe(OF_OWNER.length);
    expect(lengthIn(entry, 'second')).toBe(OF_MEMBER.length);
  });
});
