import type { PortalTurn } from '@millrace/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createConversation } from './conversation.ts';
import { type Answer, type Message, writtenText } from './message.ts';
import { findUnsent, toMessages, withUnsent } from './stored.ts';

const RUN = 'b7f0c6de-0000-4000-8000-000000000001';
const CONVERSATION = 'c0ffee00-0000-4000-8000-000000000002';
const STARTED = { type: 'execution_started', execution_id: RUN };
const WORKING = { type: 'node_start', node_id: 'n', node_label: 'start', progress_path: ['start'] };
const COMPLETE = { type: 'execution_complete', status: 'success', outputs: { out: { result: 'Hi' } } };
const CANCELLED = { type: 'execution_complete', status: 'cancelled', outputs: {} };

const stream = (frames: readonly object[]) =>
  new Response(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''), {
    headers: { 'x-execution-id': RUN },
  });

const frame = (event: object) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Answers the calls of the page one after another. */
function serve(answer: (call: Call) => Response | Promise<Response>): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    const call = { method, path, body: body === undefined ? undefined : (JSON.parse(body) as unknown) };
    calls.push(call);
    return answer(call);
  });
  return calls;
}

function begin(messages: readonly Message[] = [], id: string | null = CONVERSATION, streams = true) {
  const onSignedOut = vi.fn();
  const onVisitorToken = vi.fn();
  const onChange = vi.fn();
  const conversation = createConversation({
    door: { slug: 'help' },
    streams,
    opened: { id: id ?? undefined, messages },
    onChange,
    onVisitorToken,
    onSignedOut,
  });
  const last = () => conversation.messages.at(-1) as Answer;
  const until = (state: Answer['state']) => vi.waitFor(() => expect(last().state).toBe(state), 5_000);
  return { conversation, last, until, onChange, onSignedOut, onVisitorToken };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('takes a lost stream up again by the id of the run, and starts no second one', async () => {
  const calls = serve(({ method }) =>
    stream(method === 'POST' ? [STARTED, WORKING] : [STARTED, WORKING, COMPLETE]),
  );
  const { conversation, last, until } = begin();
  conversation.send({ text: 'Hello' });
  await until('done');
  expect(last()).toMatchObject({ text: 'Hi', execution_id: RUN });
  expect(last().steps).toHaveLength(1);
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/portal/help/execute/stream?tokens=true',
    `GET /api/portal/help/executions/${RUN}/stream?tokens=true`,
  ]);
});

it('says which conversation it is before a message is answered, for a page that is left meanwhile', async () => {
  const begun = { id: CONVERSATION, visitor_token: null };
  const calls = serve(({ path }) =>
    path.endsWith('/conversations') ? Response.json(begun) : new Promise<Response>(() => undefined),
  );
  const { conversation, onChange } = begin([], null, false);
  conversation.send({ text: 'Hello' });
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  expect(onChange.mock.lastCall).toMatchObject([{ id: CONVERSATION }]);
});

const token = (text: string, offset: number, more: object = {}) => ({
  type: 'node_token',
  node_id: 'ask',
  node_label: 'ask',
  step: 'model-1',
  offset,
  text,
  ...more,
});

it('shows the answer while it is written, one text of an agent after another, and then the whole', async () => {
  const shown: string[] = [];
  serve(() =>
    stream([
      STARTED,
      token('I look', 0),
      token(' it up', 6),
      token('Found', 0, { step: 'model-2' }),
      token(' it', 5, { step: 'model-2' }),
      COMPLETE,
    ]),
  );
  const { conversation, last, until, onChange } = begin();
  onChange.mockImplementation(() => {
    const text = writtenText(last());
    if (text !== shown.at(-1)) shown.push(text);
  });
  conversation.send({ text: 'Hello' });
  await until('done');
  expect(shown.filter((text) => text !== '')).toEqual(['I look', 'I look it up', 'Found', 'Found it', 'Hi']);
  expect(last().writing).toEqual([]);
});

it('keeps what was written when the run is stopped, and drops it when its node failed', async () => {
  serve(() => stream([STARTED, token('Half', 0), CANCELLED]));
  const one = begin();
  one.conversation.send({ text: 'Hello' });
  await one.until('stopped');
  expect(one.last().text).toBe('Half');
  serve(() =>
    stream([
      STARTED,
      token('Half', 0),
      { type: 'node_complete', node_id: 'ask', node_label: 'ask', status: 'error' },
      { type: 'execution_complete', status: 'error', outputs: {} },
    ]),
  );
  const two = begin();
  two.conversation.send({ text: 'Hello' });
  await two.until('failed');
  expect(writtenText(two.last())).toBe('');
});

it('begins a conversation with the first message, and sends the others into it (§6.2)', async () => {
  const calls = serve(({ path }) =>
    path.endsWith('/conversations')
      ? Response.json({ id: CONVERSATION, visitor_token: 'secret' }, { status: 201 })
      : stream([STARTED, COMPLETE]),
  );
  const { conversation, until, onChange, onVisitorToken } = begin([], '');
  conversation.open({ messages: [] });
  for (const text of ['one', 'two']) {
    conversation.send({ text });
    await until('done');
  }
  expect(calls.map(({ path, body }) => [path, body])).toEqual([
    ['/api/portal/help/conversations', undefined],
    ...['one', 'two'].map((text) => [
      '/api/portal/help/execute/stream?tokens=true',
      { inputs: { text }, conversation_id: CONVERSATION },
    ]),
  ]);
  expect(onVisitorToken.mock.calls).toEqual([['secret']]);
  expect(conversation.door.visitor_token).toBe('secret');
  expect(onChange).toHaveBeenLastCalledWith(expect.objectContaining({ id: CONVERSATION }));
});

it('names the run from which on an edited or repeated message replaces the conversation', async () => {
  const calls = serve(() => stream([STARTED, COMPLETE]));
  const turn = (execution_id: string, text: string): PortalTurn => ({
    execution_id,
    created_at: '2026-01-08T00:00:00.000Z',
    inputs: { text },
    status: 'success',
    outputs: { out: { result: 'Hi' } },
    execution_time_ms: 1,
  });
  const { conversation, until } = begin(toMessages([turn('run-1', 'one'), turn('run-2', 'two')]));
  conversation.retry();
  await until('done');
  conversation.edit('run-1-question', { text: 'ONE' });
  await until('done');
  expect(calls.map(({ body }) => body)).toEqual([
    { inputs: { text: 'two' }, replaces: 'run-2', conversation_id: CONVERSATION },
    { inputs: { text: 'ONE' }, replaces: 'run-1', conversation_id: CONVERSATION },
  ]);
  expect(conversation.messages).toHaveLength(2);
});

it('follows the run that is under way in a conversation that is opened', async () => {
  const calls = serve(() => stream([STARTED, WORKING, COMPLETE]));
  const { conversation, last, until } = begin();
  const inputs = { text: 'Hello' };
  const turn = { execution_id: RUN, created_at: '', inputs, outputs: null, execution_time_ms: null };
  conversation.open({ id: CONVERSATION, messages: toMessages([{ ...turn, status: 'running' }]) });
  await until('done');
  expect(last()).toMatchObject({ id: RUN, text: 'Hi' });
  expect(calls.map(({ path }) => path)).toEqual([`/api/portal/help/executions/${RUN}/stream?tokens=true`]);
});

it('puts a message that the server has not taken at the end, unless it is there', async () => {
  const [question, answer] = withUnsent([], { text: 'x' });
  expect([question, answer]).toMatchObject([
    { role: 'user', inputs: { text: 'x' } },
    { state: 'failed', problem: { kind: 'unsent' } },
  ]);
  const messages = [question, answer].filter((message) => message !== undefined);
  expect(findUnsent(messages)).toEqual({ text: 'x' });
  expect(withUnsent(messages, { text: 'x' })).toBe(messages);
  expect(withUnsent(messages, undefined)).toBe(messages);
  const photo = (letters: string) => ({ photo: `data:image/png;base64,${letters}` });
  const turn = {
    execution_id: RUN,
    created_at: '',
    status: 'running',
    outputs: null,
    execution_time_ms: null,
  };
  const kept = toMessages([{ ...turn, inputs: photo('') }]);
  expect(withUnsent(kept, photo('AAAA'))).toBe(kept);
  serve(() => stream([STARTED, COMPLETE]));
  const { conversation, until } = begin(messages);
  conversation.retry();
  await until('done');
  expect(findUnsent(conversation.messages)).toBeUndefined();
});

/** A promise that is pending until it is opened. */
function createGate() {
  let open = () => undefined as void;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open };
}

it('§3.4 cancels a run that is stopped before its id is known as soon as it is', async () => {
  const { gate, open } = createGate();
  const calls = serve(async ({ path }) => {
    if (path.endsWith('/cancel')) return Response.json({ status: 'cancel_requested' });
    await gate;
    return stream([STARTED, CANCELLED]);
  });
  const { conversation, until } = begin();
  conversation.send({ text: 'Hello' });
  const told = conversation.stop();
  open();
  await until('stopped');
  expect(await told).toBe(true);
  expect(calls.at(-1)?.path).toBe(`/api/portal/help/executions/${RUN}/cancel`);
  expect(calls).toHaveLength(2);
});

it('§3.4 says so when a run that was stopped before its id is known cannot be stopped', async () => {
  const { gate, open } = createGate();
  let cancels = 0;
  serve(async ({ path }) => {
    if (!path.endsWith('/cancel')) {
      await gate;
      // It never ends by itself.
      return new Response(new ReadableStream({ start: (to) => to.enqueue(frame(STARTED)) }), {
        headers: { 'x-execution-id': RUN },
      });
    }
    cancels += 1;
    return cancels === 1
      ? Response.json({ detail: 'No' }, { status: 503 })
      : Response.json({ status: 'cancel_requested' });
  });
  const { conversation } = begin();
  conversation.send({ text: 'Hello' });
  const told = conversation.stop();
  open();
  expect(await told).toBe(false);
  expect(await conversation.stop()).toBe(true);
  expect(cancels).toBe(2);
});

it('§3.4 cancels a run that was stopped early although another conversation is open when it is named', async () => {
  const { gate, open } = createGate();
  const calls = serve(async ({ path }) => {
    if (path.endsWith('/cancel')) return Response.json({ status: 'cancel_requested' });
    await gate;
    return stream([STARTED, CANCELLED]);
  });
  const { conversation } = begin();
  conversation.send({ text: 'Hello' });
  const told = conversation.stop();
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  conversation.open({ messages: [] });
  open();
  expect(await told).toBe(true);
  expect(calls.at(-1)?.path).toBe(`/api/portal/help/executions/${RUN}/cancel`);
  expect(conversation.messages).toEqual([]);
});

it('has nothing to stop when the run did not start', async () => {
  serve(() => Response.json({ detail: 'No' }, { status: 422 }));
  const { conversation } = begin();
  conversation.send({ text: 'Hello' });
  expect(await conversation.stop()).toBe(true);
});

it.each([
  [429, { kind: 'too_many', retry_at_ms: expect.any(Number) }],
  [503, { kind: 'busy' }],
  [404, { kind: 'gone' }],
  [422, { kind: 'refused', detail: 'No' }],
  [500, { kind: 'failed' }],
])('tells what an answer %i means', async (status, problem) => {
  serve(() => Response.json({ detail: 'No' }, { status, headers: { 'retry-after': '30' } }));
  const { conversation, last, until, onSignedOut } = begin();
  conversation.send({ text: 'Hello' });
  await until('failed');
  expect(last().problem).toEqual(problem);
  expect(onSignedOut).not.toHaveBeenCalled();
});

const turn = (status: PortalTurn['status'], outputs: unknown = null): PortalTurn => ({
  execution_id: RUN,
  created_at: '2026-01-08T00:00:00.000Z',
  inputs: { text: 'Hello' },
  status,
  outputs,
  execution_time_ms: null,
});

describe('a portal without streams', () => {
  it('finds an answer whose connection was lost in the stored conversation', async () => {
    let looks = 0;
    const calls = serve(({ method }) => {
      if (method === 'POST') throw new TypeError('lost');
      looks += 1;
      const now = looks < 2 ? turn('running') : turn('success', { out: { result: 'Hi' } });
      return Response.json({ id: CONVERSATION, turns: [now] });
    });
    const { conversation, last, until } = begin([], CONVERSATION, false);
    conversation.send({ text: 'Hello' });
    await until('done');
    expect(last()).toMatchObject({ text: 'Hi', execution_id: RUN });
    // Nothing asks the server to end the run with the request.
    expect(calls[0]?.path).toBe('/api/portal/help/execute');
  });

  it('takes an answer of an earlier message for no answer of this one', async () => {
    serve(({ method }) => {
      if (method === 'POST') throw new TypeError('lost');
      return Response.json({ id: CONVERSATION, turns: [turn('success', { out: { result: 'Hi' } })] });
    });
    const { conversation, last, until } = begin(toMessages([turn('success')]), CONVERSATION, false);
    conversation.send({ text: 'Hello' });
    await until('failed');
    expect(last().problem).toEqual({ kind: 'unsent' });
  });

  it('takes the answer that an edited message replaces for no answer of this one', async () => {
    const first = turn('success', { out: { result: 'Hi' } });
    serve(({ method }) => {
      if (method === 'POST') throw new TypeError('lost');
      return Response.json({ id: CONVERSATION, turns: [first] });
    });
    const { conversation, last, until } = begin(toMessages([first]), CONVERSATION, false);
    conversation.edit(`${RUN}-question`, { text: 'Something else' });
    await until('failed');
    expect(last()).toMatchObject({ text: '', problem: { kind: 'unsent' } });
  });

  it('looks for a lost answer until the server is back', async () => {
    vi.useFakeTimers();
    let looks = 0;
    const calls = serve(({ method }) => {
      if (method === 'GET') looks += 1;
      if (method === 'POST' || looks < 3) throw new TypeError('lost');
      return Response.json({ id: CONVERSATION, turns: [turn('success', { out: { result: 'Hi' } })] });
    });
    const { conversation, last } = begin([], CONVERSATION, false);
    conversation.send({ text: 'Hello' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(last()).toMatchObject({ state: 'done', text: 'Hi' });
    expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('§3.4 stops the run that the conversation names', async () => {
    const calls = serve(({ method, path }) => {
      if (path.endsWith('/cancel')) return Response.json({ status: 'cancel_requested' });
      if (method === 'POST') return new Promise<Response>(() => undefined);
      return Response.json({ id: CONVERSATION, turns: [turn('running')] });
    });
    const { conversation, last } = begin([], CONVERSATION, false);
    conversation.send({ text: 'Hello' });
    expect(await conversation.stop()).toBe(true);
    expect(last()).toMatchObject({ state: 'stopped', execution_id: RUN });
    expect(calls.at(-1)?.path).toBe(`/api/portal/help/executions/${RUN}/cancel`);
  });
});

it('continues a paused run at once when it was decided here', async () => {
  const url = 'https://example.com/review/abc';
  const paused = turn('pending', { ask: { reviewUrl: url, summary: 'Check' } });
  serve(() => stream([STARTED, COMPLETE]));
  const { conversation, last, until } = begin(toMessages([paused]));
  expect(last()).toMatchObject({ state: 'waiting', reviews: [{ url }] });
  conversation.decided();
  await until('done');
  expect(last().text).toBe('Hi');
});

describe('a run that waits for a review', () => {
  const paused = turn('pending', { ask: { reviewUrl: 'https://example.com/review/abc', summary: 'Check' } });

  it('continues when it was decided elsewhere', async () => {
    vi.useFakeTimers();
    let looks = 0;
    serve(({ path }) => {
      if (path.includes('/stream')) return stream([STARTED, COMPLETE]);
      looks += 1;
      return Response.json({ id: CONVERSATION, turns: [looks < 3 ? paused : turn('running')] });
    });
    const { conversation, last } = begin(toMessages([paused]));
    conversation.resume();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(last()).toMatchObject({ state: 'done', text: 'Hi' });
    expect(looks).toBe(3);
  });

  it.each([
    ['was deleted', () => Response.json({ detail: 'No' }, { status: 404 })],
    ['no longer has it', () => Response.json({ id: CONVERSATION, turns: [] })],
  ])('is no longer requested when the conversation %s', async (_, answer) => {
    vi.useFakeTimers();
    const calls = serve(answer);
    const { conversation, last } = begin(toMessages([paused]));
    conversation.resume();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(calls).toHaveLength(1);
    expect(last().state).toBe('waiting');
  });
});

it('asks to sign in again when the session is over, and keeps the question', async () => {
  serve(() => Response.json({ detail: 'Sign in to this portal' }, { status: 401 }));
  const { conversation, until, onSignedOut } = begin();
  conversation.send({ text: 'Hello' });
  await until('failed');
  expect(onSignedOut).toHaveBeenCalledOnce();
  expect(conversation.messages[0]).toMatchObject({ inputs: { text: 'Hello' } });
});
