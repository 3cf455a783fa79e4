import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRunStore, type RunStore, type StreamEvent } from './run-store.ts';
import { startRun } from './start-run.ts';

const WORKFLOW = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const RUN = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a11';

const STARTED = { type: 'execution_started', execution_id: RUN, server_now_ms: 1 };
const BEGUN = { type: 'node_start', node_id: 'a', started_at_ms: 1 };
const DONE = { type: 'node_complete', node_id: 'a', status: 'success', output: 1, execution_time_ms: 2 };
const ENDED = { type: 'execution_complete', status: 'success', outputs: { a: 1 }, execution_time_ms: 3 };

/** The answers of the server, one after the other; nothing is left of a connection that is gone. */
let answers: (Response | 'gone')[];
let requests: { path: string; init: RequestInit }[];
let run: RunStore;

/** A stream of frames that are numbered from `first` on; it ends after the last one, or breaks. */
function stream(events: readonly StreamEvent[], { first = 1, breaks = false } = {}): Response {
  const frames = events.map((event, at) => `id: ${first + at}\ndata: ${JSON.stringify(event)}\n\n`);
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const frame = frames.shift();
      if (frame !== undefined) controller.enqueue(bytes.encode(frame));
      else if (breaks) controller.error(new TypeError('network error'));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const start = (part: Partial<Parameters<typeof startRun>[1]> = {}) =>
  startRun(run, {
    workflow_id: WORKFLOW,
    input: { text: 'hello' },
    test_run: true,
    trigger_source: 'Canvas',
    signal: new AbortController().signal,
    ...part,
  });
/** A dropped stream is asked for again after waits. */
async function startPatiently(part?: Parameters<typeof start>[0]): Promise<string | undefined> {
  const started = start(part);
  await vi.advanceTimersByTimeAsync(20_000);
  return started;
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  run = createRunStore();
  requests = [];
  answers = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init: RequestInit = {}) => {
    requests.push({ path: String(input), init });
    const next = answers.shift() ?? 'gone';
    if (next === 'gone') throw new TypeError('Failed to fetch');
    return next;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the draft is run from the canvas with its input, and shown to its end', async () => {
  answers = [stream([STARTED, BEGUN, DONE, ENDED])];
  expect(await start()).toBeUndefined();
  const [{ path, init } = { path: '', init: {} }] = requests;
  expect(path).toMatch(/\/execute.*stream.*test_run=true/);
  expect(init.headers).toMatchObject({ 'x-run-draft': 'true', 'x-trigger-source': 'Canvas' });
  expect(JSON.parse(String(init.body))).toEqual({ inputs: { text: 'hello' } });
  expect(run.getState()).toMatchObject({ phase: 'ended', execution_id: RUN, outputs: { a: 1 } });
  expect(run.getState().nodes.get('a')?.records).toHaveLength(1);
  expect(requests).toHaveLength(1);
});

test('the quick drawer runs what is published', async () => {
  answers = [stream([STARTED, ENDED])];
  await start({ trigger_source: 'Quick Drawer', test_run: false });
  expect(requests[0]?.init.headers).not.toHaveProperty('x-run-draft');
  expect(requests[0]?.path).not.toContain('test_run');
});

test('a refusal is said in the words of the server, and nothing runs', async () => {
  answers = [Response.json({ detail: 'The workflow is switched off' }, { status: 409 })];
  expect(await start()).toBe('The workflow is switched off');
  expect(run.getState().phase).toBe('idle');
});

test.each([
  ['ends early', false],
  ['breaks', true],
])('a stream that %s is picked up behind its last frame, without a gap or a repeat', async (_how, breaks) => {
  answers = [stream([STARTED, BEGUN], { breaks }), 'gone', stream([DONE, ENDED], { first: 3 })];
  expect(await startPatiently()).toBeUndefined();
  expect(requests.map(({ init }) => init.method ?? 'GET')).toEqual(['POST', 'GET', 'GET']);
  const [, first, second] = requests;
  expect(first?.path).toContain(RUN);
  for (const request of [first, second])
    expect(request?.init.headers).toMatchObject({ 'last-event-id': '2' });
  expect(run.getState()).toMatchObject({ phase: 'ended', last_event_id: '4' });
  expect(run.getState().nodes.get('a')?.records).toHaveLength(1);
});

test('a run whose stream never comes back is lost, not failed', async () => {
  answers = [stream([STARTED, BEGUN], { breaks: true })];
  expect(await startPatiently()).toBeUndefined();
  expect(run.getState()).toMatchObject({ phase: 'lost', execution_id: RUN });
  expect(requests).toHaveLength(5);
});

test('a run that never began because the server could not be reached says so', async () => {
  expect(await startPatiently()).toEqual(expect.any(String));
  expect(run.getState()).toMatchObject({ phase: 'idle', execution_id: undefined });
  expect(requests).toHaveLength(1);
});

test('a run that is left is not asked for again', async () => {
  const leaving = new AbortController();
  answers = [stream([STARTED], { breaks: true })];
  leaving.abort();
  expect(await startPatiently({ signal: leaving.signal })).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test('a run up to a node names it, in a form that a header can hold', async () => {
  answers = [stream([STARTED, ENDED])];
  await start({ until: 'größe 1' });
  expect(new Headers(requests[0]?.init.headers).get('x-run-until')).toBe('gr%C3%B6%C3%9Fe%201');
  answers = [stream([STARTED, ENDED])];
  await start();
  expect(new Headers(requests[1]?.init.headers).has('x-run-until')).toBe(false);
});
