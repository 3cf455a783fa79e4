import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, parseFrames } from './testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();

/** Runs `large` where the amount is above 50. */
const ORDER = graph(
  [
    [
      'order',
      'textInput',
      {
        inputFields: [
          { key: 'amount', type: 'number', required: true },
          { key: 'urgent', type: 'boolean' },
          { key: 'note' },
        ],
      },
    ],
    ['isLarge', 'condition', { condition: '$order.amount > 50' }],
    ['large', 'output', { message: 'large $order.amount' }],
    ['small', 'output', { message: 'small $order.amount' }],
  ],
  ['order>isLarge', 'isLarge:true>large', 'isLarge:false>small'],
);

interface Answer {
  readonly status: string;
  readonly outputs: Record<string, unknown>;
}

describe('typed input fields (design: typed input fields)', () => {
  test('a number sent as text takes the branch of the number', async () => {
    const id = await createWorkflow(owner, ORDER);
    for (const amount of [80, '80', ' 80 ']) {
      const answer = await app.call('POST', executeUrl(id), { amount });
      expect(answer.json<Answer>().outputs).toEqual({ large: { result: 'large 80' } });
    }
    const answer = await app.call('POST', executeUrl(id), { inputs: { amount: '8' } });
    expect(answer.json<Answer>().outputs).toEqual({ small: { result: 'small 8' } });
  });

  test('a number in the query takes the branch of the number', async () => {
    const id = await createWorkflow(owner, ORDER);
    await owner.call('PUT', `/api/workflows/${id}`, { http_method: 'GET' });
    const answer = await app.call('GET', executeUrl(id, '?amount=80'));
    expect(answer.json<Answer>().outputs).toEqual({ large: { result: 'large 80' } });
  });

  test.each([
    [{ amount: 'a lot' }, 'amount', 'must be a number'],
    [{ amount: 1, urgent: 'perhaps' }, 'urgent', 'must be true or false'],
    [{ note: 'x' }, 'amount', 'must be filled in'],
  ])('422 for %j, which names the field, and no run', async (body, field, msg) => {
    const id = await createWorkflow(owner, ORDER);
    for (const path of ['', '/stream']) {
      const answer = await app.call('POST', executeUrl(id, path), body);
      expect(answer.statusCode).toBe(422);
      expect(answer.json<{ detail: object[] }>().detail).toMatchObject([{ loc: ['body', field], msg }]);
    }
    const history = await owner.call('GET', `/api/workflows/${id}/history`);
    expect(history.json<{ total: number }>().total).toBe(0);
  });

  test('fields without a type accept any value', async () => {
    const id = await createWorkflow(owner, ORDER);
    const answer = await app.call('POST', executeUrl(id, '/stream'), { amount: 1, note: { any: ['thing'] } });
    expect(parseFrames(answer.body).at(-1)?.data).toMatchObject({ status: 'success' });
  });

  test('a workflow called by another workflow converts its input by the same rule', async () => {
    const called = await createWorkflow(owner, ORDER);
    const calling = (amount: string) =>
      graph(
        [
          ['start', 'textInput'],
          [
            'call',
            'execute',
            { executeWorkflowId: called, executeInputMappings: [{ key: 'amount', value: amount }] },
          ],
        ],
        ['start>call'],
      );
    const fits = await createWorkflow(owner, calling('$input.body.n'));
    const answer = await app.call('POST', executeUrl(fits), { n: '80' });
    expect(JSON.stringify(answer.json<Answer>().outputs)).toContain('large 80');
    const failed = await app.call('POST', executeUrl(fits), { n: 'a lot' });
    expect(JSON.stringify(failed.json<Answer>().outputs)).toContain(
      'The input \\"amount\\" must be a number',
    );
  });
});
