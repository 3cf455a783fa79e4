import type { Workflow } from '@millrace/contracts';
import { RESERVED_NAMES } from '@millrace/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noRunSecrets } from '../../execution/testing/run-environment.ts';
import type { RunSecrets } from '../../ports/run/run-secrets.ts';
import { createTestApp, graph, shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { evaluate } from './service.ts';

let app: TestApp;
let user: TestUser;
let workflow: Workflow;
beforeAll(async () => {
  app = await shareTestApp();
  user = await app.user();
  const node = (id: string, type: string) => ({ id, type, position: { x: 0, y: 0 }, data: { label: id } });
  const nodes = [node('start', 'textInput'), node('shape', 'set'), node('check', 'condition')];
  const edges = [
    { id: 'e1', source: 'start', target: 'shape' },
    { id: 'e2', source: 'shape', target: 'check' },
  ];
  workflow = (await user.call('POST', '/api/workflows', { name: 'Preview', nodes, edges })).json<Workflow>();
});
afterAll(() => app.close());

const RESULTS = [
  { node_id: 'start', label: 'start', output: { body: { text: 'hello', list: [1, 2, 3] } } },
  { node_id: 'shape', label: 'shape', output: { total: 6 } },
];
const ask = (body: Record<string, unknown>, caller: Pick<TestUser, 'call'> = user) =>
  caller.call('POST', '/api/expressions/evaluate', {
    workflow_id: workflow.id,
    current_node_id: 'shape',
    node_results: RESULTS,
    ...body,
  });

describe('POST /api/expressions/evaluate', () => {
  it('200 with the value and its type', async () => {
    const cases: [expression: string, result: unknown, type: string][] = [
      ['$start.body.text', 'hello', 'string'],
      ['$start.body.list', [1, 2, 3], 'array'],
      ['$shape.total + 1', 7, 'number'],
      ['start.body.text', 'hello', 'string'],
      ['Say $start.body.text!', 'Say hello!', 'string'],
      ['$workflowName', 'Preview', 'string'],
    ];
    for (const [expression, result, result_type] of cases) {
      const answer = await ask({ expression });
      expect(answer.statusCode, expression).toBe(200);
      expect(answer.json()).toMatchObject({ result, result_type, error: null });
    }
  });

  it('200 reads the expression as the named field of the node does', async () => {
    const condition = await ask({
      expression: '$shape.total > 5',
      current_node_id: 'check',
      field_name: 'condition',
    });
    expect(condition.json()).toMatchObject({ result: true, result_type: 'boolean' });
  });

  it('200 takes a sample body where no result is known', async () => {
    const answer = await ask({
      expression: '$input.body.city',
      node_results: [],
      input_body: { city: 'Bern' },
    });
    expect(answer.json()).toMatchObject({ result: 'Bern' });
  });

  it('200 takes the whole input of a sample request, too', async () => {
    const input_body = { body: { city: 'Bern' }, query: { page: '2' } };
    const show = (expression: string) => ask({ expression, node_results: [], input_body });
    expect((await show('$start.city')).json()).toMatchObject({ result: 'Bern' });
    expect((await show('$input.body.city')).json()).toMatchObject({ result: 'Bern' });
    expect((await show('$start.query.page')).json()).toMatchObject({ result: '2' });
  });

  it('200 prefers pinned data, of nodes that come before, to what was shown', async () => {
    const pinned = (value: Record<string, string>) => ({ pinnedData: value });
    const body = graph(
      [
        ['first', 'set', pinned({ text: 'pinned' })],
        ['keep', 'variable', { variableName: 'name', ...pinned({ value: 'Ada' }) }],
        ['aside', 'set', pinned({ text: 'aside' })],
        ['out', 'output'],
      ],
      ['first>keep', 'keep>out'],
    );
    const created = await user.call('POST', '/api/workflows', { name: 'Pinned', ...body });
    const show = async (expression: string) => {
      const node_results = [{ node_id: 'first', label: 'first', output: { text: 'shown' } }];
      const asked = { workflow_id: created.json<Workflow>().id, current_node_id: 'out', node_results };
      return (await ask({ ...asked, expression })).json<{ result: unknown }>().result;
    };
    expect(await show('$first.text')).toBe('pinned');
    expect(await show('$vars.name')).toBe('Ada');
    expect(await show('$aside.text')).toBeNull();
  });

  it('200 works out rounds of loops and nodes that only compute, where nothing has run', async () => {
    const body = graph(
      [
        ['start', 'textInput'],
        ['outer', 'loop', { arrayExpression: '$start.rows' }],
        ['inner', 'loop', { arrayExpression: '$outer.item' }],
        ['shape', 'set', { mappings: [{ key: 'twice', value: '$inner.item * 2' }] }],
        ['call', 'http', { curl: 'curl https://example.com' }],
        ['more', 'set', { mappings: [{ key: 'status', value: '$call.status' }] }],
        ['leaf', 'set'],
      ],
      [
        'start>outer',
        'outer:loop>inner',
        'inner:loop>shape',
        'shape>call',
        'call>more',
        'more>leaf',
        'leaf>inner:loop',
        'inner:done>outer:loop',
      ],
    );
    const created = await user.call('POST', '/api/workflows', { name: 'Rounds', ...body });
    const ended = { branch: 'done', total: 2, results: [] };
    const show = async (current_node_id: string, expression: string, index: number | null = null) => {
      const node_results = [{ node_id: 'outer', label: 'outer', output: ended }];
      const answer = await ask({
        workflow_id: created.json<Workflow>().id,
        current_node_id,
        expression,
        node_results,
        input_body: { rows: [[1, 2], [3]] },
        selected_loop_iteration_index: index,
      });
      return answer.json<{ result: unknown; selected_loop_total: number | null }>();
    };
    expect(await show('leaf', '$inner.item')).toMatchObject({ result: 1, selected_loop_total: 2 });
    expect(await show('leaf', '$inner.item', 1)).toMatchObject({ result: 2 });
    expect(await show('leaf', '$inner.item', 9)).toMatchObject({ result: 2 });
    expect(await show('leaf', '$shape.twice', 1)).toMatchObject({ result: 4 });
    expect(await show('leaf', '$outer.item')).toMatchObject({ result: [1, 2] });
    expect(await show('leaf', '$more.status')).toMatchObject({ result: null });
    expect(await show('inner', '$outer.item', 1)).toMatchObject({ result: [1, 2], selected_loop_total: 2 });
    expect(await show('outer', '$start.rows')).toMatchObject({ selected_loop_total: 2 });
  });

  it('200 shows the chosen round of a loop and tells how many there are', async () => {
    const rounds = ['a', 'b', 'c'].map((item, index) => ({
      node_id: 'l',
      label: 'loop1',
      output: { item, index, total: 3, branch: 'loop' },
    }));
    const answer = await ask({
      expression: '$loop1.item',
      node_results: rounds,
      selected_loop_iteration_index: 1,
    });
    expect(answer.json()).toMatchObject({ result: 'b', selected_loop_total: 3 });
  });

  it('200 knows from the graph which loop the node is in, and which nodes set variables', async () => {
    const body = graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$start.list' }],
        ['keep', 'variable', { variableName: 'last', variableValue: '$each.item' }],
        ['work', 'set'],
        ['out', 'output', { message: '$each.results' }],
      ],
      ['start>each', 'each:loop>keep', 'keep>work', 'work>each:loop', 'each:done>out'],
    );
    const created = await user.call('POST', '/api/workflows', { name: 'Loop', ...body });
    const rows = [
      ['start', { list: ['a', 'b'] }],
      ...['a', 'b'].flatMap((item, index) => [
        ['each', { item, index, total: 2, branch: 'loop' }],
        ['keep', { name: 'last', value: item, type: 'string' }],
      ]),
      ['each', { results: [{}, {}], total: 2, branch: 'done' }],
    ] as const;
    const node_results = rows.map(([label, output]) => ({ node_id: label, label, output }));
    const show = async (current_node_id: string, expression: string, index: number | null = null) => {
      const asked = { workflow_id: created.json<Workflow>().id, current_node_id, expression, node_results };
      const answer = await ask({ ...asked, selected_loop_iteration_index: index });
      return answer.json<{ result: unknown; selected_loop_total: number | null }>();
    };
    expect(await show('work', '$each.item', 0)).toMatchObject({ result: 'a', selected_loop_total: 2 });
    expect(await show('work', '$each.item')).toMatchObject({ result: 'b', selected_loop_total: 2 });
    expect(await show('work', '$vars.last', 0)).toMatchObject({ result: 'a' });
    expect(await show('out', '$each.results')).toMatchObject({ result: [{}, {}], selected_loop_total: null });
  });

  it('200 for any text: nothing of the host is reachable, nothing hangs, nothing breaks', async () => {
    for (const expression of [
      '',
      '$',
      '$start.',
      '$((((',
      '$start.constructor',
      '$start["__proto__"]',
      '$start.body.text.constructor.constructor("return process")()',
      '$start.body.list.map("item.constructor")',
      '${process.env}',
      '{{ 1+1 }}',
      '$"a"*1000000000',
      '$((1)'.repeat(1000),
      '\u0000\ud800',
    ]) {
      const answer = await ask({ expression });
      expect(answer.statusCode, expression.slice(0, 60)).toBe(200);
      expect(answer.body).not.toMatch(/native code|function|"env"|PATH=/);
    }
  });

  it('422 for an expression that is too long or no text', async () => {
    expect((await ask({ expression: 'x'.repeat(10_001) })).statusCode).toBe(422);
    expect((await ask({ expression: 5 })).statusCode).toBe(422);
    expect((await ask({ expression: 'x', workflow_id: 'x' })).statusCode).toBe(422);
  });

  it('§5.8: shows no more than the first 7 characters of a credential, regardless of the expression', async () => {
    const secret = 'sk-live-0123456789';
    const run_secrets: RunSecrets = {
      ...noRunSecrets,
      credentialsByName: (_user, names) =>
        Promise.resolve(
          new Map(
            (names ?? []).map((name) => [
              name,
              { id: 'c', name, type: 'bearer', expression_value: secret, config: {}, secrets: [secret] },
            ]),
          ),
        ),
      globalVariables: () =>
        Promise.resolve({ values: { region: 'eu' }, shown: { region: 'eu' }, secrets: [] }),
    };
    const actor = { user_id: user.id, email: user.email, name: 'X', is_admin: false };
    const context = {
      db: app.services.database.db,
      actor,
      config: app.services.config,
      now: app.services.now,
    };
    const show = async (expression: string) =>
      (
        await evaluate(context, run_secrets, {
          expression,
          workflow_id: workflow.id,
          current_node_id: 'shape',
          node_results: [],
        })
      ).result;
    expect(await show('$credentials.Key')).toBe('sk-live**');
    expect(await show('Bearer $credentials["Key"]')).toBe('Bearer sk-live**');
    for (const trick of [
      '$credentials.Key.reverse()',
      '$credentials.Key.substring(8)',
      '$credentials.Key.toUpperCase()',
    ]) {
      expect(String(await show(trick))).not.toMatch(/0123|3210/);
    }
    expect(await show('$global.region')).toBe('eu');
  });
});

describe('GET /api/config/reserved-variable-names', () => {
  it('200 for anyone, with the names of the engine', async () => {
    const answer = await app.call('GET', '/api/config/reserved-variable-names');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual([...RESERVED_NAMES]);
    expect(answer.json()).toEqual(expect.arrayContaining(['headers', 'item', 'timestamp', 'regexReplace']));
  });
});

describe('GET /api/config/time-zone', () => {
  it('200 for anyone, with the configured zone', async () => {
    const zoned = await createTestApp({ env: { TIMEZONE: 'Asia/Tokyo' } });
    expect((await zoned.call('GET', '/api/config/time-zone')).json()).toEqual({ time_zone: 'Asia/Tokyo' });
    await zoned.close();
  });
});
