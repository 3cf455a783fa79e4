import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { endedEntry, fetchHistoryEntry } from './testing/history.ts';
import { createWorkflow, executeUrl, graph } from './testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();
const DRAFT = { 'x-run-draft': 'true' };
const upTo = (node_id: string) => ({ ...DRAFT, 'x-run-until': encodeURIComponent(node_id) });

const CHAIN = graph(
  [
    ['start', 'textInput'],
    ['shape', 'set', { mappings: [{ key: 'text', value: '$input.body.text' }] }],
    ['größe 1', 'set', { mappings: [{ key: 'long', value: '$shape.text.length > 3' }] }],
    ['stop', 'throwError', { errorMessage: 'ran too far' }],
    ['beside', 'throwError', { errorMessage: 'ran beside it' }],
    ['off', 'set', { active: false }],
    ['caught', 'errorHandler'],
    ['tell', 'output', { message: 'told' }],
  ],
  ['start>shape', 'shape>größe 1', 'größe 1>stop', 'start>beside', 'shape>off', 'caught>tell'],
);

test('a run of the draft ends at the node that is asked for', async () => {
  const id = await createWorkflow(owner, CHAIN);
  const answer = await owner.call('POST', executeUrl(id), { text: 'words' }, upTo('größe 1'));
  expect(answer.json()).toMatchObject({ status: 'success', outputs: { 'größe 1': { long: true } } });
  const run_id = String(answer.headers['x-execution-id']);
  const { node_results, status, until_node_id } = await fetchHistoryEntry(owner, { id, run_id });
  expect(until_node_id).toBe('größe 1');
  expect(node_results.map(({ node_id, status: of }) => [node_id, of])).toEqual([
    ['start', 'success'],
    ['shape', 'success'],
    ['größe 1', 'success'],
  ]);
  expect(status).toBe('success');
});

test('it ends there as well after a wait, which it spends in the database', async () => {
  const asking = graph(
    [
      ['start', 'textInput'],
      ['ask', 'callback', { timeoutSeconds: 600 }],
      ['use', 'set', { mappings: [{ key: 'at', value: '$ask.body.at' }] }],
      ['stop', 'throwError', { errorMessage: 'ran too far' }],
    ],
    ['start>ask', 'ask:called>use', 'use>stop'],
  );
  const id = await createWorkflow(owner, asking);
  const answer = await owner.call('POST', executeUrl(id), {}, upTo('use'));
  const { outputs } = answer.json<{ outputs: Record<string, { url: string }> }>();
  const called = await app.call('POST', new URL(outputs['ask']?.url ?? '').pathname, { at: 7 });
  expect(called.statusCode).toBe(200);
  const entry = await endedEntry(owner, { id, run_id: String(answer.headers['x-execution-id']) });
  expect(entry).toMatchObject({ status: 'success', outputs: { use: { at: 7 } } });
  expect(entry.node_results.map(({ node_id }) => node_id)).not.toContain('stop');
});

test.each<[string, Record<string, string>, RegExp]>([
  ['the published version', { 'x-run-until': 'shape' }, /X-Run-Draft/],
  ['a node that the draft does not have', upTo('gone'), /id of a node/],
  ['a node of the error flow', upTo('tell'), /not reached from the start/],
  ['a node that is switched off', upTo('off'), /switched off/],
  ['no node', { ...DRAFT, 'x-run-until': '' }, /id of a node/],
  ['a node whose id is badly encoded', { ...DRAFT, 'x-run-until': '%E0%A4%A' }, /percent-encoded/],
])('a run up to %s is refused', async (_case, headers, reason) => {
  const id = await createWorkflow(owner, CHAIN);
  const answer = await owner.call('POST', executeUrl(id), { text: 'words' }, headers);
  expect(answer.statusCode).toBe(422);
  const { detail } = answer.json<{ detail: { loc: string[]; msg: string }[] }>();
  expect(detail).toMatchObject([{ loc: ['header', 'X-Run-Until'], msg: expect.stringMatching(reason) }]);
});

test('a stranger learns nothing of the nodes of a draft', async () => {
  const id = await createWorkflow(owner, CHAIN);
  const stranger = await app.user();
  const answer = await stranger.call('POST', executeUrl(id), {}, upTo('gone'));
  expect(answer.statusCode).toBe(403);
});

test('concerns only the person who started it, and does the same when it is run again', async () => {
  const failing = graph(
    [
      ['start', 'textInput'],
      ['check', 'throwError', { errorMessage: 'not yet' }],
      ['after', 'output', { message: 'done' }],
      ['mail', 'throwError', { errorMessage: 'ran too far' }],
    ],
    ['start>after', 'start>check', 'start>mail'],
  );
  const id = await createWorkflow(owner, failing);
  const answer = await owner.call('POST', executeUrl(id), {}, upTo('check'));
  const run_id = String(answer.headers['x-execution-id']);
  expect(answer.json()).toMatchObject({ status: 'error' });
  const history = await owner.call('GET', `/api/workflows/${id}/history`);
  expect(history.json()).toMatchObject({ items: [{ id: run_id, is_draft: true }] });
  const again = async (body: object) => {
    const replayed = await owner.call('POST', `/api/workflows/${id}/executions/${run_id}/replay`, body);
    expect(replayed.statusCode, replayed.body).toBe(202);
    const { execution_id } = replayed.json<{ execution_id: string }>();
    const { node_results } = await endedEntry(owner, { id, run_id: execution_id });
    return node_results.map(({ node_id }) => node_id);
  };
  expect(await again({ from: 'failed', version: 'draft' })).toEqual(['start', 'check']);
  expect(await again({ from: 'start', version: 'draft' })).toEqual(['start', 'check']);
  expect(await again({ from: 'failed', version: 'same' })).toEqual(['start', 'check']);
  expect(await again({ from: 'start', version: 'current' })).toEqual(expect.arrayContaining(['after']));
});

test('another end is another request, with the same idempotency key', async () => {
  const id = await createWorkflow(owner, CHAIN);
  const call = (headers: Record<string, string>) =>
    owner.call('POST', executeUrl(id), { text: 'words' }, { 'idempotency-key': 'once', ...headers });
  const first = await call(upTo('shape'));
  expect((await call(upTo('shape'))).headers['x-execution-id']).toBe(first.headers['x-execution-id']);
  expect((await call(upTo('start'))).statusCode).toBe(422);
  expect((await call({})).statusCode).toBe(422);
});

test('no file is waited for that only other nodes need', async () => {
  const uploading = graph(
    [
      ['start', 'textInput'],
      ['file', 'fileUploadTrigger'],
      ['shape', 'set', { mappings: [{ key: 'text', value: '$start.body.text' }] }],
      ['read', 'set'],
    ],
    ['start>shape', 'file>read'],
  );
  const id = await createWorkflow(owner, uploading);
  const answer = await owner.call('POST', executeUrl(id), { text: 'words' }, upTo('shape'));
  expect(answer.json()).toMatchObject({ status: 'success', outputs: { shape: { text: 'words' } } });
});
