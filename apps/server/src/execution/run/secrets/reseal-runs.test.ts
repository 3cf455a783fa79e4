import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import { createKeyring } from '../../../core/secrets/fernet.ts';
import { rotateCredentialKeys } from '../../../resources/credentials/keys.ts';
import { createWorkflow, executeUrl, graph } from '../../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../../journal/testing/databases.ts';

const SECRET = 'sk-live-0123456789';
const [FORMER, CURRENT] = ['the former key', 'the current key'];
const WITHIN = { timeout: 15_000, interval: 50 };
/** So long that it is kept apart from its row. */
const LARGE = 'x'.repeat(40_000);

const handing = graph(
  [
    ['start', 'textInput'],
    ['out', 'output', { message: '$start.text' }],
  ],
  ['start>out'],
);

/** Has a secret in its input, in a result and in what another run returned; waits twice. */
const asking = (child: string) =>
  graph(
    [
      ['start', 'textInput'],
      ['keep', 'set', { mappings: [{ key: 'own', value: '$credentials.KEY' }] }],
      ['call', 'execute', { executeWorkflowId: child, executeInput: '$credentials.KEY' }],
      ['first', 'callback', { timeoutSeconds: 600 }],
      ['second', 'callback', { timeoutSeconds: 600 }],
      [
        'out',
        'jsonOutputMapper',
        {
          mappings: [
            { key: 'input', value: '$start.text.length' },
            { key: 'result', value: '$keep.own.length' },
            { key: 'child', value: '$call.outputs.out.result.length' },
            { key: 'decision', value: '$first.body.large.length' },
          ],
        },
      ],
    ],
    ['start>keep', 'keep>call', 'call>first', 'first:called>second', 'second:called>out'],
  );

describeOnPostgres('runs that wait while keys are changed', () => {
  let postgres: PostgresForTest;
  let before: TestApp;
  let after: TestApp | undefined;
  let user: TestUser;
  const open = (...encryption_keys: string[]) =>
    createTestApp({ database: openPostgres({ url: postgres.url, log: silent }), encryption_keys });
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    before = await open(FORMER);
    user = await before.user();
    await user.call('POST', '/api/credentials', {
      name: 'KEY',
      type: 'bearer',
      config: { bearer_token: SECRET },
    });
  }, 60_000);
  afterAll(async () => {
    await after?.close();
    await postgres.database.close();
  });

  async function loadTokens(run_id: string): Promise<Record<string, string[]>> {
    const { rows } = await postgres.database.sql.query<{ kind: string; token: string }>({
      text: `SELECT 'input' AS kind, options::json ->> 'sealed_input' AS token FROM runs WHERE id = $1
        UNION ALL SELECT 'outputs of the child', outcome::json ->> 'sealed_outputs' FROM runs WHERE parent_run_id = $1
        UNION ALL SELECT 'result', sealed FROM steps WHERE run_id = $1 AND sealed IS NOT NULL
        UNION ALL SELECT 'decision', b.content::json #>> '{}' FROM run_blobs r JOIN blobs b USING (hash)
          WHERE r.run_id = $1 AND b.content LIKE '"gA%' ORDER BY 1`,
      values: [run_id],
    });
    const tokens: Record<string, string[]> = {};
    for (const { kind, token } of rows) (tokens[kind] ??= []).push(token);
    return tokens;
  }

  const opens = (key: string, token: string) => {
    try {
      return createKeyring([key]).open(token) !== '';
    } catch {
      return false;
    }
  };

  test('§5.8: continue with the real values when the former key is gone', async () => {
    const child = await createWorkflow(user, handing);
    const id = await createWorkflow(user, asking(child));
    const answer = await before.call('POST', executeUrl(id), { text: SECRET });
    expect(answer.json()).toMatchObject({ status: 'pending' });
    const run_id = String(answer.headers['x-execution-id']);
    const loadPath = async (node: string) => {
      const entry = await user.call('GET', `/api/workflows/${id}/history/${run_id}`);
      const { node_results } = entry.json<{
        node_results: { node_id: string; output: { url?: string } }[];
      }>();
      const url = node_results.find(({ node_id }) => node_id === node)?.output.url;
      return url === undefined ? undefined : new URL(url).pathname;
    };
    await before.call('POST', (await loadPath('first')) ?? '', { large: LARGE });
    const second = await vi.waitUntil(() => loadPath('second'), WITHIN);
    const stored = await loadTokens(run_id);
    expect(Object.keys(stored)).toEqual(['decision', 'input', 'outputs of the child', 'result']);

    const { db, sql } = postgres.database;
    const rotate = () =>
      rotateCredentialKeys({
        db,
        sql,
        secrets: { secret_key: 'x', encryption_keys: [CURRENT, FORMER] },
        now: Date.now,
      });
    await rotate();
    await rotate();
    for (const [kind, tokens] of Object.entries(await loadTokens(run_id)))
      expect([kind, tokens.filter((token) => opens(CURRENT, token)).length]).toEqual([
        kind,
        stored[kind]?.length,
      ]);

    await before.close();
    const current = (after = await open(CURRENT));
    expect((await current.call('POST', second, {})).statusCode).toBe(200);
    const authorization = `Bearer ${user.access_token}`;
    const outputs = await vi.waitUntil(async () => {
      const url = `/api/workflows/${id}/history/${run_id}`;
      const entry = (await current.call('GET', url, undefined, { authorization })).json();
      return entry.status === 'success' && (entry.outputs as unknown);
    }, WITHIN);
    expect(outputs).toEqual({
      input: SECRET.length,
      result: SECRET.length,
      child: SECRET.length,
      decision: LARGE.length,
    });
  });
});
