import { createWorkflow, ECHO, executeUrl, graph, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

const mapper = (id: string): [string, string, { mappings: { key: string; value: string }[] }] => [
  id,
  'jsonOutputMapper',
  { mappings: [{ key: 'answer', value: '$input.body.text' }] },
];

describe('§2.3 execute response', () => {
  it('§2.3: workflow_id, status, outputs and execution_time_ms, and nothing else', async () => {
    const id = await createWorkflow(user, ECHO);
    const answer = await app.call('POST', executeUrl(id), { text: 'hi' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      workflow_id: id,
      status: 'success',
      outputs: { out: { result: 'hi' } },
      execution_time_ms: expect.any(Number),
    });
    expect(Number.isInteger(answer.json<{ execution_time_ms: number }>().execution_time_ms)).toBe(true);
  });

  it('§2.3: outputs are those of the terminal nodes, keyed by label', async () => {
    const two = graph(
      [
        ['start', 'textInput'],
        ['a', 'output', { label: 'First', message: '$input.body.text' }],
        ['b', 'set', { label: 'Second', mappings: [{ key: 'n', value: '5' }] }],
      ],
      ['start>a', 'start>b'],
    );
    const id = await createWorkflow(user, two);
    const answer = await app.call('POST', executeUrl(id), { text: 'hi' });
    expect(answer.json()).toMatchObject({ outputs: { First: { result: 'hi' }, Second: { n: '5' } } });
  });

  it('§2.3: the object of a JSON output mapper that is the only terminal is the body', async () => {
    const id = await createWorkflow(user, graph([['start', 'textInput'], mapper('map')], ['start>map']));
    const answer = await app.call('POST', executeUrl(id), { text: 'hi' });
    expect(answer.json()).toEqual({ answer: 'hi' });
  });

  it('§2.3: a JSON output mapper beside another terminal is an ordinary output', async () => {
    const content = graph([['start', 'textInput'], mapper('one'), mapper('two')], ['start>one', 'start>two']);
    const answer = await app.call('POST', executeUrl(await createWorkflow(user, content)), { text: 'hi' });
    expect(answer.json()).toMatchObject({ outputs: { one: { answer: 'hi' }, two: { answer: 'hi' } } });
  });
});
