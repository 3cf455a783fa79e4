import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import { createWorkflow, executeUrl, graph } from '../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../testing/test-app.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from './journal/testing/databases.ts';

const variable = (variableName: string, variableValue: string) =>
  graph(
    [
      ['start', 'textInput'],
      ['keep', 'variable', { variableName, variableValue, isGlobal: true }],
      ['out', 'output', { message: '$keep.value' }],
    ],
    ['start>keep', 'keep>out'],
  );

describeOnPostgres('global variables of runs on two processes', () => {
  let postgres: PostgresForTest;
  let apps: [TestApp, TestApp];
  let user: TestUser;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    const open = () => createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
    apps = [await open(), await open()];
    user = await apps[0].user();
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await postgres.database.close();
  });

  const readVariable = async (name: string) => {
    const list = (await user.call('GET', '/api/global-variables')).json<{ name: string; value: unknown }[]>();
    return list.find((item) => item.name === name)?.value;
  };

  test.each([
    ['$global.hits + 1', 'hits', 40],
    ['($global.used ?? 0) + $start.body.amount', 'used', 120],
    ['10 + $global.more - 7', 'more', 120],
  ])('increments by %s that run at once are all counted', async (value, name, expected) => {
    await user.call('POST', '/api/global-variables', { name, value: 0 });
    const url = executeUrl(await createWorkflow(user, variable(name, value)));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => Promise.resolve(apps[at % 2]?.call('POST', url, { amount: 3 }))),
    );
    expect(new Set(answers.map((answer) => answer?.statusCode))).toEqual(new Set([200]));
    expect(await readVariable(name)).toBe(expected);
  });

  test('a value that cannot be stored fails its run, and none of its variables is stored', async () => {
    const document = graph(
      [
        ['start', 'textInput'],
        ['good', 'variable', { variableName: 'good', variableValue: 'x', isGlobal: true }],
        ['large', 'variable', { variableName: 'large', variableValue: '$start.body.text', isGlobal: true }],
        ['out', 'output', { message: 'done' }],
      ],
      ['start>good', 'good>large', 'large>out'],
    );
    const url = executeUrl(await createWorkflow(user, document));
    const answer = await apps[0].call('POST', url, { text: 'x'.repeat(1024 * 1024 + 1) });
    expect(answer.json()).toMatchObject({
      status: 'error',
      outputs: {
        error: 'The global variable "large" was not stored: its value is larger than a megabyte',
      },
    });
    expect([await readVariable('good'), await readVariable('large')]).toEqual([undefined, undefined]);
  });

  test('a keyed call that is sent twice at once counts once', async () => {
    await user.call('POST', '/api/global-variables', { name: 'keyed', value: 0 });
    const url = executeUrl(await createWorkflow(user, variable('keyed', '$global.keyed + 1')));
    const headers = { 'idempotency-key': 'delivery-1' };
    await Promise.all(
      Array.from({ length: 6 }, (_, at) => Promise.resolve(apps[at % 2]?.call('POST', url, {}, headers))),
    );
    expect(await readVariable('keyed')).toBe(1);
  });
});
