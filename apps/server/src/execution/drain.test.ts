import { expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import {
  createWorkflow,
  executeUrl,
  graph,
  parseFrames,
  until,
} from '../resources/executions/testing/workflows.ts';
import { createTestApp } from '../testing/test-app.ts';
import { describeOnPostgres, openPostgresForTest, silent } from './journal/testing/databases.ts';

const waiting = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
      ['out', 'output', { message: '$start.body.text' }],
    ],
    ['start>pause', 'pause>out'],
  );

/** Calls the stream like a client from outside, and resolves when its first frame is there. */
async function openedStream(url: string, init: RequestInit) {
  const answer = await fetch(url, { headers: { 'content-type': 'application/json' }, ...init });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  const decoder = new TextDecoder();
  const rest = (async () => {
    let text = decoder.decode(first?.value, { stream: true });
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      text += decoder.decode(next.value, { stream: true });
    return text;
  })();
  return { run_id: answer.headers.get('x-execution-id') ?? '', rest };
}

test('a run that ends in the time that a stopping process gives it is streamed to its end', async () => {
  const app = await createTestApp();
  const id = await createWorkflow(await app.user(), waiting(300));
  const address = await app.listen();
  const { rest } = await openedStream(`${address}${executeUrl(id, '/stream')}`, {
    method: 'POST',
    body: '{"text":"hi"}',
  });
  await app.services.execution.drain(10_000);
  expect(parseFrames(await rest).at(-1)?.data).toMatchObject({
    type: 'execution_complete',
    status: 'success',
    outputs: { out: { result: 'hi' } },
  });
  await app.close();
});

describeOnPostgres('a stream of a run that continues on another process', () => {
  test('ends with a hint to reconnect, and continues after its last frame at another process', async () => {
    const postgres = await openPostgresForTest();
    const open = () => createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
    const one = await open();
    const two = await open();
    const user = await one.user();
    const id = await createWorkflow(user, waiting(1_200));
    const [first, second] = await Promise.all([one, two].map((app) => app.listen()));
    const path = executeUrl(id, '/stream?event_ids=true');
    const streamed = await openedStream(`${first}${path}`, { method: 'POST', body: '{"text":"hi"}' });
    const attached = `/api/workflows/${id}/executions/${streamed.run_id}/stream`;
    const other = await until(async () => {
      const opened = await openedStream(`${second}${attached}`, {});
      return opened.run_id === streamed.run_id && opened;
    });

    await one.services.execution.drain(0);
    const text = await streamed.rest;
    expect(text).toMatch(/\nretry: \d+\n\n$/);
    const seen = parseFrames(text);
    expect(seen.map(({ data }) => data.type)).not.toContain('execution_complete');

    const last = seen.at(-1)?.id;
    const back = await openedStream(`${second}${attached}`, { headers: { 'last-event-id': String(last) } });
    const resumed = parseFrames(await back.rest);
    expect(resumed[0]?.id).toBeGreaterThan(last ?? 0);
    const told = [...seen, ...resumed].map(({ data }) => [data.type, data['node_id']].join(' ').trim());
    expect(told).toEqual(
      expect.arrayContaining(['execution_started', 'node_complete pause', 'node_complete out']),
    );
    expect(resumed.at(-1)?.data).toMatchObject({ type: 'execution_complete', status: 'success' });
    // No client was sent away from the process that stayed.
    expect(parseFrames(await other.rest).at(-1)?.data).toMatchObject({ type: 'execution_complete' });

    await one.app.close();
    await one.services.database.close();
    await two.close();
    await postgres.database.close();
  });
});
