import { createWorkflow, ECHO, executeUrl, graph, until, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

const sources = async (id: string): Promise<unknown[]> => {
  const list = await user.call('GET', `/api/workflows/${id}/history`);
  return list
    .json<{ items: { trigger_source: unknown }[] }>()
    .items.map(({ trigger_source }) => trigger_source);
};

describe('§6.3 trigger_source values', () => {
  for (const label of [
    'Canvas',
    'Quick Drawer',
    'any string at all: übung',
    `check ${'of a release '.repeat(9)}1`,
  ]) {
    it(`§6.3 ${label}: the value of X-Trigger-Source or of the parameter`, async () => {
      const id = await createWorkflow(user, ECHO);
      await app.call('POST', executeUrl(id, `/stream?trigger_source=${encodeURIComponent(label)}`), {});
      expect(await sources(id)).toEqual([label]);
    });
  }

  it('§6.3: X-Trigger-Source in UTF-8, as command lines send it, and in Latin-1', async () => {
    const id = await createWorkflow(user, ECHO);
    for (const header of [Buffer.from('Zażółć 日本').toString('latin1'), 'übung']) {
      await app.call('POST', executeUrl(id), {}, { 'x-trigger-source': header });
    }
    expect(await sources(id)).toEqual(expect.arrayContaining(['Zażółć 日本', 'übung']));
  });

  it('§6.3 SUB_WORKFLOW: a sub-workflow invoked by an Execute Workflow node', async () => {
    const child = await createWorkflow(user, ECHO);
    const parent = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child, executeInput: '$start.body' }],
        ],
        ['start>call'],
      ),
    );
    const answer = await app.call('POST', executeUrl(parent), { text: 'deep' });
    expect(answer.json()).toMatchObject({ outputs: { call: { outputs: { out: { result: 'deep' } } } } });
    expect(await sources(child)).toEqual(['SUB_WORKFLOW']);
    expect(await sources(parent)).toEqual(['API']);
  });

  it.each([
    ['$start.text', '{"name":"Ada","n":[1]}'],
    ['$input.text', '{"name":"Ada","n":[1]}'],
    ['$start.name', 'Ada'],
    ['$start.body', { name: 'Ada', n: [1] }],
  ])('a sub-workflow that is given an object reads %s of it as %j', async (message, expected) => {
    const mappings = [{ key: 'seen', value: message }];
    const content = graph(
      [
        ['start', 'textInput'],
        ['read', 'set', { mappings }],
      ],
      ['start>read'],
    );
    const child = await createWorkflow(user, content);
    const called = { executeWorkflowId: child, executeInput: '$start.body.person' };
    const parent = graph(
      [
        ['start', 'textInput'],
        ['call', 'execute', called],
      ],
      ['start>call'],
    );
    const id = await createWorkflow(user, parent);
    const answer = await app.call('POST', executeUrl(id), { person: { name: 'Ada', n: [1] } });
    expect(answer.json()).toMatchObject({ outputs: { call: { outputs: { read: { seen: expected } } } } });
  });

  it('§6.3 SUB_WORKFLOW: also when no run waits for it', async () => {
    const child = await createWorkflow(user, ECHO);
    const parent = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child, executeDoNotWait: true }],
        ],
        ['start>call'],
      ),
    );
    const answer = await app.call('POST', executeUrl(parent), { text: 'later' });
    expect(answer.json()).toMatchObject({ outputs: { call: { status: 'dispatched', workflow_id: child } } });
    await until(async () => (await sources(child)).length === 1);
    expect(await sources(child)).toEqual(['SUB_WORKFLOW']);
  });
});
