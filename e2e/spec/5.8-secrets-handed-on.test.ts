import {
  createWorkflow,
  executeUrl,
  graph,
  shareTestApp,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

/** §5.8: a secret that one run hands to another stays hidden there, and stays the value that it is. */
const SECRET = 'BearerSecret0001';
const MASKED = 'BearerS**';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await shareTestApp();
  user = await app.user();
  await user.call('POST', '/api/credentials', {
    name: 'B',
    type: 'bearer',
    config: { bearer_token: SECRET },
  });
});
afterAll(() => app.close());

const INNER = graph(
  [
    ['start', 'textInput'],
    [
      'out',
      'jsonOutputMapper',
      {
        mappings: [
          { key: 'text', value: '$start.text' },
          { key: 'length', value: '$start.text.length' },
        ],
      },
    ],
  ],
  ['start>out'],
);

const outer = (inner: string, data: Record<string, unknown> = {}, message = '$call.outputs') =>
  graph(
    [
      ['start', 'textInput'],
      ['call', 'execute', { executeWorkflowId: inner, executeInput: '$credentials.B', ...data }],
      ['out', 'output', { message }],
    ],
    ['start>call', 'call>out'],
  );

interface HistoryPage {
  readonly items: readonly { readonly id: string; readonly status: string }[];
}

/** The newest entry of a workflow's history, once its run has ended. */
async function fetchEndedEntry(workflow_id: string): Promise<string> {
  const find = async () => {
    const list = await user.call('GET', `/api/workflows/${workflow_id}/history`);
    const [first] = list.json<HistoryPage>().items;
    expect(first?.status).toBe('success');
    return (await user.call('GET', `/api/workflows/${workflow_id}/history/${first?.id}`)).body;
  };
  return vi.waitFor(find, { timeout: 10_000 });
}

describe('§5.8 a secret that is handed to a sub-workflow', () => {
  it('§5.8: is masked in the history of the run that got it', async () => {
    const inner = await createWorkflow(user, INNER);
    const answer = await app.call('POST', executeUrl(await createWorkflow(user, outer(inner))), {});
    expect(answer.json().outputs.out.result).toEqual({ text: MASKED, length: SECRET.length });
    const row = await fetchEndedEntry(inner);
    expect(row).toContain(MASKED);
    expect(row).not.toContain(SECRET);
  });

  it('§5.8: comes back to the run that handed it on as it was', async () => {
    const inner = await createWorkflow(user, INNER);
    const id = await createWorkflow(user, outer(inner, {}, '$call.outputs.text.length'));
    expect((await app.call('POST', executeUrl(id), {})).json().outputs.out.result).toBe(SECRET.length);
  });

  it('§5.8: is what the sub-workflow works with, even when no run waits for it', async () => {
    const inner = await createWorkflow(user, INNER);
    const id = await createWorkflow(user, outer(inner, { executeDoNotWait: true }, 'sent'));
    expect((await app.call('POST', executeUrl(id), {})).statusCode).toBe(200);
    const row = await fetchEndedEntry(inner);
    expect(row).toContain(`"length":${SECRET.length}`);
    expect(row).not.toContain(SECRET);
    const { rows } = await app.services.database.sql.query<{ options: string | null; input: string }>({
      text: 'SELECT options, input FROM runs WHERE workflow_id = $1',
      values: [inner],
    });
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });
});

describe('§5.8 credentials in one context keyed by name', () => {
  it('§5.8: a computed name finds its credential, and leaves the others alone', async () => {
    const mappings = [
      { key: 'named', value: '$credentials.B' },
      { key: 'computed', value: '$credentials[$start.name]' },
    ];
    const document = graph(
      [
        ['start', 'textInput'],
        ['out', 'jsonOutputMapper', { mappings }],
      ],
      ['start>out'],
    );
    const answer = await app.call('POST', executeUrl(await createWorkflow(user, document)), { name: 'B' });
    expect(answer.json()).toMatchObject({ named: MASKED, computed: MASKED });
  });
});
