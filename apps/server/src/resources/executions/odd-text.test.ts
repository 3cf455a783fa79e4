import type { HistoryEntry } from '@millrace/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBoth } from '../../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph } from './testing/workflows.ts';

/** NUL, separators of the journal's columns, half characters and whole ones, also as keys; and enough to be kept apart. */
const ODD = {
  text: '\u0000 \u001e \u001f \ud800 \udfff 😀 \ufeff \u2028',
  'key \u0000 \ud800': ['\u0000'],
  long: '\u0000\ud800'.repeat(20_000),
};

describeOnBoth('text that databases do not like', (kind) => {
  let app: TestApp;
  let owner: TestUser;
  beforeAll(async () => {
    app = await createTestApp({ database: await kind.open() });
    owner = await app.user();
  });
  afterAll(() => app.close());

  /** With a wait in between the results are journaled one by one, else with the run. */
  test.each([0, 20])('passes through inputs, results and history (wait of %d ms)', async (duration) => {
    const id = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ...(duration > 0
            ? [['pause', 'wait', { duration }] as [string, string, { duration: number }]]
            : []),
          ['keep', 'variable', { variableName: 'odd', variableValue: '$start.body' }],
          ['out', 'output', { message: '$vars.odd' }],
        ],
        duration > 0 ? ['start>pause', 'pause>keep', 'keep>out'] : ['start>keep', 'keep>out'],
      ),
    );
    const answer = await app.app.inject({
      method: 'POST',
      url: executeUrl(id),
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(ODD),
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'success', outputs: { out: { result: ODD } } });
    const run = String(answer.headers['x-execution-id']);
    const entry = (await owner.call('GET', `/api/workflows/${id}/history/${run}`)).json<HistoryEntry>();
    expect(entry.inputs).toMatchObject({ body: ODD });
    expect(entry.outputs).toEqual({ out: { result: ODD } });
    expect(entry.node_results.at(-1)?.output).toEqual({ result: ODD });
  });

  test('is refused or made whole in names, and never answered with 5xx', async () => {
    const call = (payload: string) =>
      app.app.inject({
        method: 'POST',
        url: '/api/workflows',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.access_token}` },
        payload,
      });
    const half = await call(String.raw`{"name":"a\ud800b","description":"\udfff"}`);
    expect(half.json()).toMatchObject({ name: 'a\uFFFDb', description: '\uFFFD' });
    const nul = await call(String.raw`{"name":"a\u0000b"}`);
    expect(nul.statusCode).toBe(422);
    expect(nul.json()).toMatchObject({ detail: [{ loc: ['body', 'name'] }] });
  });
});
