import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { expect, test } from 'vitest';
import { createTestApp, useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph, parseFrames } from './testing/workflows.ts';

const TEXT = 'x'.repeat(100_000);

const app = await useTestApp({ env: { RUN_MAX_SIZE_MB: '1' } });
const owner = await app.user();

const names = Array.from({ length: 30 }, (_, at) => `end${at}`);

const copying = (name: string): [string, string, JsonObject] => [
  name,
  'set',
  { mappings: [{ key: 'text', value: '$start.body.text' }] },
];

/** Each of them is small, and together they are three times what a run may hold. */
const MANY_TERMINALS = graph(
  [['start', 'textInput'], ...names.map(copying)],
  names.map((name) => `start>${name}`),
);

const COLLECTING_LOOP = graph(
  [
    ['start', 'textInput'],
    ['each', 'loop', { arrayExpression: '$start.body.items' }],
    copying('work'),
    ['out', 'output', { message: '$each.results' }],
  ],
  ['start>each', 'each:loop>work', 'work>each:loop', 'each:done>out'],
);

/** Waits first, so that its rows are journaled one by one and followed live. */
const waiting = ({ nodes, edges }: typeof MANY_TERMINALS) => ({
  nodes: [...nodes, ...graph([['pause', 'wait', { duration: 20 }]], []).nodes],
  edges: [...edges, ...graph([], ['start>pause']).edges.map((edge) => ({ ...edge, id: 'pause' }))],
});

const DOCUMENTS = { MANY_TERMINALS, COLLECTING_LOOP, WAITING: waiting(MANY_TERMINALS) };

test.each(Object.entries(DOCUMENTS))(
  'answer, stream and history of a run stay within bounds: %s',
  async (_, document) => {
    const id = await createWorkflow(owner, document);
    const body = { text: TEXT, items: names };
    const answer = await app.call('POST', executeUrl(id), body, { 'x-simple-response': 'false' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'error',
      outputs: { error: expect.stringMatching(/results of this run are too large.*smaller parts/) },
    });
    expect(answer.body.length).toBeLessThan(1.5 * MEGABYTE);

    const stream = await app.call('POST', executeUrl(id, '/stream'), body);
    const last = parseFrames(stream.body).at(-1)?.data;
    expect(last).toMatchObject({ type: 'execution_complete', status: 'error' });
    expect(stream.body.length).toBeLessThan(3.5 * MEGABYTE);

    const entry = await owner.call(
      'GET',
      `/api/workflows/${id}/history/${String(answer.headers['x-execution-id'])}`,
    );
    expect(entry.json()).toMatchObject({ status: 'error' });
    expect(entry.body.length).toBeLessThan(1.5 * MEGABYTE);
  },
);

test.each<[string, WorkflowDocument, JsonObject]>([
  [
    'has more frames than a socket takes at once',
    COLLECTING_LOOP,
    { text: 'x', items: Array(2_000).fill(1) },
  ],
  ['has frames that are larger than that', ECHO, { text: 'x'.repeat(5 * MEGABYTE) }],
])('a run that %s is streamed whole to a real client', async (_, document, body) => {
  const roomy = await createTestApp();
  const id = await createWorkflow(await roomy.user(), document);
  const address = await roomy.listen();
  const answer = await fetch(`${address}${executeUrl(id, '/stream?event_ids=true')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const frames = parseFrames(await answer.text());
  await roomy.close();
  const last = frames.at(-1)?.data;
  expect(last).toMatchObject({ type: 'execution_complete', status: 'success' });
  const complete = frames.filter(({ data }) => data.type === 'node_complete');
  expect(last?.['node_results']).toHaveLength(complete.length);
});

test('what fits is not touched', async () => {
  const id = await createWorkflow(owner, COLLECTING_LOOP);
  const answer = await app.call('POST', executeUrl(id), { text: 'x'.repeat(1_000), items: names });
  expect(answer.json()).toMatchObject({ status: 'success' });
});
