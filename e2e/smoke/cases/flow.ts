import { graph } from '@millrace/server/testing';
import { expect } from 'vitest';
import { firstOutput, gives, type SmokeCases } from '../smoke-case.ts';

const pathIn = (url: string): string => new URL(url).pathname;

/** Nodes that decide where a run goes, wait, or end it. */
export const flowCases: SmokeCases = {
  async textInput({ create, execute }) {
    const start = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['out', 'output', { message: '$start.text' }],
      ],
      ['start>out'],
    );
    expect(await execute(await create(start), { text: 'hi' })).toMatchObject({
      outputs: { out: { result: 'hi' } },
    });
  },
  async condition({ create, execute }) {
    const branches = graph(
      [
        ['start', 'textInput'],
        ['is', 'condition', { condition: '$input.body.n > 3' }],
        ['yes', 'output', { message: 'large' }],
        ['no', 'output', { message: 'small' }],
      ],
      ['start>is', 'is:true>yes', 'is:false>no'],
    );
    const id = await create(branches);
    expect((await execute(id, { n: 5 })).outputs).toEqual({ yes: { result: 'large' } });
    expect((await execute(id, { n: 2 })).outputs).toEqual({ no: { result: 'small' } });
  },
  async switch({ create, execute }) {
    const branches = graph(
      [
        ['start', 'textInput'],
        ['which', 'switch', { expression: '$input.body.event', cases: ['opened', 'closed'] }],
        ['second', 'output', { message: 'closed' }],
      ],
      ['start>which', 'which:case-1>second'],
    );
    expect((await execute(await create(branches), { event: 'closed' })).outputs).toEqual({
      second: { result: 'closed' },
    });
  },
  async loop({ create, execute }) {
    const rounds = graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$input.body.items' }],
        ['shape', 'set', { mappings: [{ key: 'name', value: '$each.item + "!"' }] }],
        ['out', 'jsonOutputMapper', { mappings: [{ key: 'names', value: '$each.results' }] }],
      ],
      ['start>each', 'each:loop>shape', 'shape>each:loop', 'each:done>out'],
    );
    expect(await execute(await create(rounds), { items: ['a', 'b'] })).toEqual({
      names: [{ name: 'a!' }, { name: 'b!' }],
    });
  },
  async merge({ create, execute }) {
    const both = graph(
      [
        ['start', 'textInput'],
        ['left', 'set', { mappings: [{ key: 'a', value: '1' }] }],
        ['right', 'set', { mappings: [{ key: 'b', value: '2' }] }],
        ['both', 'merge', { inputCount: 2 }],
      ],
      ['start>left', 'start>right', 'left>both:input-0', 'right>both:input-1'],
    );
    expect((await execute(await create(both))).outputs).toEqual({
      both: { merged: { left: { a: '1' }, right: { b: '2' } } },
    });
  },
  wait: gives('wait', { data: { duration: 20 }, body: { id: 7 } }, { id: 7 }),
  async execute({ create, runNode }) {
    const child = await create(
      graph(
        [
          ['start', 'textInput', { inputFields: [{ key: 'name' }] }],
          ['out', 'output', { message: 'Hello $start.name' }],
        ],
        ['start>out'],
      ),
    );
    const data = { executeWorkflowId: child, executeInputMappings: [{ key: 'name', value: '$input.name' }] };
    expect(await runNode('execute', data, { name: 'Ada' })).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'Hello Ada' } },
    });
  },
  async throwError({ create, call }) {
    const stop = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'no $start.body.id', httpStatusCode: 404 }],
      ],
      ['start>stop'],
    );
    const { status, body } = await call('POST', `/api/workflows/${await create(stop)}/execute`, { id: 12 });
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain('no 12');
  },
  async errorHandler({ create, call, ask }) {
    const handled = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'broken' }],
        ['handle', 'errorHandler', { message: '$error.node_label: $error.message' }],
      ],
      ['start>stop'],
    );
    const id = await create(handled);
    await call('POST', `/api/workflows/${id}/execute`, {});
    const { items } = await ask<{ items: { id: string }[] }>('GET', `/api/workflows/${id}/history`);
    const run = await ask<{ node_results: unknown[] }>('GET', `/api/workflows/${id}/history/${items[0]?.id}`);
    expect(run.node_results).toContainEqual(
      expect.objectContaining({
        node_label: 'handle',
        output: expect.objectContaining({ message: 'stop: broken' }),
      }),
    );
  },
  async disableNode({ create, execute, ask }) {
    const content = graph(
      [
        ['start', 'textInput'],
        ['off', 'disableNode', { targetNodeLabel: 'spare' }],
        ['spare', 'set'],
      ],
      ['start>off'],
    );
    const id = await create(content);
    expect((await execute(id)).outputs['off']).toMatchObject({ targetNode: 'spare', disabled: true });
    const { nodes } = await ask<{ nodes: { id: string; data: { active?: boolean } }[] }>(
      'GET',
      `/api/workflows/${id}`,
    );
    expect(nodes.find((node) => node.id === 'spare')?.data.active).toBe(false);
  },
  output: gives(
    'output',
    { data: { message: 'Hello $input.name' }, body: { name: 'Ada' } },
    { result: 'Hello Ada' },
  ),
  async jsonOutputMapper({ create, execute }) {
    const content = graph(
      [
        ['start', 'textInput'],
        ['out', 'jsonOutputMapper', { mappings: [{ key: 'id', value: '$start.body.id' }] }],
      ],
      ['start>out'],
    );
    expect(await execute(await create(content), { id: 12 })).toEqual({ id: 12 });
  },
  async htmlOutputMapper({ create, call }) {
    const content = graph(
      [
        ['start', 'textInput'],
        ['page', 'htmlOutputMapper', { html: '<h1>Hi $start.body.name</h1>', statusCode: 201 }],
      ],
      ['start>page'],
    );
    const answer = await call('POST', `/api/workflows/${await create(content)}/execute`, { name: 'Ada' });
    expect(answer).toEqual({ status: 201, body: '<h1>Hi Ada</h1>' });
  },
  async sticky({ create, execute }) {
    const content = graph(
      [
        ['start', 'textInput'],
        ['note', 'sticky', { note: 'why' }],
        ['out', 'output', { message: 'done' }],
      ],
      ['start>out'],
    );
    expect((await execute(await create(content))).outputs).toEqual({ out: { result: 'done' } });
  },
  async callback(world) {
    const { create, execute, product } = world;
    const id = await create(
      graph(
        [
          ['start', 'textInput'],
          ['hold', 'callback'],
          ['out', 'output', { message: '$hold.body.paid' }],
        ],
        ['start>hold', 'hold:called>out'],
      ),
    );
    const held = await execute(id);
    const address = /https?:[^"\s]*\/callbacks\/[\w-]+/.exec(JSON.stringify(held))?.[0];
    expect(address, JSON.stringify(held)).toBeDefined();
    const told = await fetch(`${product.url}${pathIn(address ?? '')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paid: 'yes' }),
    });
    expect(told.status).toBe(200);
    expect(await firstOutput(world, id)).toEqual({ result: 'yes' });
  },
  async humanReview(world) {
    const { create, execute, ask } = world;
    const id = await create(
      graph(
        [
          ['start', 'textInput'],
          ['review', 'humanReview', { summary: 'To Ada', draft: 'Dear Ada' }],
          ['out', 'output', { message: '$review.text' }],
        ],
        ['start>review', 'review:accepted>out'],
      ),
    );
    await execute(id);
    const { items } = await ask<{ items: { id: string; workflow_id: string }[] }>(
      'GET',
      `/api/reviews?workflow_id=${id}`,
    );
    await ask('POST', `/api/reviews/${items[0]?.id}/decision`, { action: 'accept' });
    expect(await firstOutput(world, id)).toEqual({ result: 'Dear Ada' });
  },
};
