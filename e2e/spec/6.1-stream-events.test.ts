import {
  createTestApp,
  createWorkflow,
  ECHO,
  executeUrl,
  graph,
  parseFrames,
  useTestApp,
} from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();
const base = await app.listen();

type Frames = ReturnType<typeof parseFrames>;

async function stream(id: string, body: unknown = {}, rest = ''): Promise<Frames> {
  const answer = await app.call('POST', executeUrl(id, `/stream${rest}`), body);
  expect(answer.statusCode).toBe(200);
  return parseFrames(answer.body);
}

const ofType = (frames: Frames, type: string) =>
  frames.map(({ data }) => data).filter((data) => data.type === type);
const types = (frames: Frames) => frames.map(({ data }) => data.type);

const BRANCHES = graph(
  [
    ['start', 'textInput'],
    ['check', 'condition', { condition: '$input.body.n > 1' }],
    ['yes', 'set', { mappings: [{ key: 'branch', value: 'yes' }] }],
    ['no', 'set', { mappings: [{ key: 'branch', value: 'no' }] }],
  ],
  ['start>check', 'check:true>yes', 'check:false>no'],
);

const WAITING = graph(
  [
    ['start', 'textInput'],
    ['pause', 'wait', { duration: 150 }],
    ['out', 'output', { message: '$start.body.text' }],
  ],
  ['start>pause', 'pause>out'],
);

describe('§6.1 execution stream events', () => {
  it('§6.1: each frame is `data: ` followed by one JSON object with a type', async () => {
    const id = await createWorkflow(user, ECHO);
    const answer = await app.call('POST', executeUrl(id, '/stream'), { text: 'hi' });
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(answer.headers['cache-control']).toBe('no-cache, no-transform');
    expect(answer.headers['x-accel-buffering']).toBe('no');
    for (const block of answer.body.split('\n\n').filter((text) => text !== '')) {
      expect(block.startsWith('data: ')).toBe(true);
      expect(JSON.parse(block.slice('data: '.length))).toHaveProperty('type');
    }
  });

  it('§6.1 execution_started: first, with execution_id and server_now_ms', async () => {
    const [first] = await stream(await createWorkflow(user, ECHO), { text: 'hi' });
    expect(first?.data).toEqual({
      type: 'execution_started',
      execution_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      server_now_ms: expect.any(Number),
    });
  });

  it('§6.1 node_start: right before a node runs, with id, label and started_at_ms', async () => {
    const frames = await stream(await createWorkflow(user, ECHO), { text: 'hi' });
    expect(types(frames)).toEqual([
      'execution_started',
      'node_start',
      'node_complete',
      'node_start',
      'node_complete',
      'node_start',
      'node_complete',
      'execution_complete',
    ]);
    expect(frames[3]?.data).toEqual({
      type: 'node_start',
      node_id: 'shape',
      node_label: 'shape',
      started_at_ms: expect.any(Number),
    });
  });

  it('§6.1 node_start: the message is there only when send_start is true', async () => {
    const id = await createWorkflow(user, ECHO, {
      sse_node_config: {
        start: { send_start: false, start_message: 'never shown' },
        shape: { send_start: true, start_message: 'Shaping' },
        out: { send_start: true, start_message: null },
      },
    });
    const starts = ofType(await stream(id, { text: 'hi' }), 'node_start');
    expect(starts[0]).not.toHaveProperty('message');
    expect(starts[1]).toHaveProperty('message', 'Shaping');
    expect(starts[2]).toHaveProperty('message', '[START] out');
  });

  it('§2.1: a cleared message falls back to the default', async () => {
    const id = await createWorkflow(user, ECHO, {
      sse_node_config: { out: { send_start: true, start_message: '' } },
    });
    const starts = ofType(await stream(id, { text: 'hi' }), 'node_start');
    expect(starts[2]).toHaveProperty('message', '[START] out');
  });

  it('§6.1 node_retry: when a node retries, with attempt and max_attempts', async () => {
    const open = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
    const owner = await open.user();
    const content = graph(
      [
        ['start', 'textInput'],
        [
          'call',
          'http',
          { curl: 'curl http://127.0.0.1:1/', retryEnabled: true, retryMaxAttempts: 2, retryWaitSeconds: 1 },
        ],
      ],
      ['start>call'],
    );
    const answer = await open.call('POST', executeUrl(await createWorkflow(owner, content), '/stream'), {});
    const frames = parseFrames(answer.body);
    expect(ofType(frames, 'node_retry')).toEqual([
      expect.objectContaining({ node_id: 'call', attempt: 1, max_attempts: 2 }),
    ]);
    expect(types(frames).slice(3)).toEqual([
      'node_start',
      'node_retry',
      'node_complete',
      'execution_complete',
    ]);
    await open.close();
  });

  it('§6.1 node_retry: also when the address that a node calls is not public', async () => {
    const curl = 'curl http://127.0.0.1:1/';
    const retry = { retryEnabled: true, retryMaxAttempts: 2, retryWaitSeconds: 1 };
    const content = graph(
      [
        ['start', 'textInput'],
        ['call', 'http', { curl, ...retry }],
      ],
      ['start>call'],
    );
    const frames = await stream(await createWorkflow(user, content), {});
    expect(ofType(frames, 'node_retry')).toEqual([
      expect.objectContaining({ node_id: 'call', attempt: 1, max_attempts: 2 }),
    ]);
    expect(ofType(frames, 'execution_complete')).toEqual([expect.objectContaining({ status: 'error' })]);
  });

  it('§6.1 node_complete: always, also for skipped nodes, and always with output', async () => {
    const frames = await stream(await createWorkflow(user, BRANCHES), { n: 5 });
    const complete = ofType(frames, 'node_complete');
    expect(complete.map(({ node_id, status }) => `${String(node_id)} ${String(status)}`).sort()).toEqual([
      'check success',
      'no skipped',
      'start success',
      'yes success',
    ]);
    for (const frame of complete) {
      expect(frame).toMatchObject({
        node_id: expect.any(String),
        node_label: expect.any(String),
        status: expect.any(String),
        output: expect.any(Object),
        execution_time_ms: expect.any(Number),
      });
    }
    expect(complete.find(({ node_id }) => node_id === 'no')).toHaveProperty('output', {});
    expect(ofType(frames, 'node_start').map(({ node_id }) => node_id)).not.toContain('no');
  });

  it('§6.1 node_complete: a failed node has status error and the error as output', async () => {
    const content = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'broken' }],
      ],
      ['start>stop'],
    );
    const frames = await stream(await createWorkflow(user, content));
    expect(ofType(frames, 'node_complete').at(-1)).toMatchObject({
      node_id: 'stop',
      status: 'error',
      output: { error: 'broken' },
    });
    expect(frames.at(-1)?.data).toMatchObject({ status: 'error', outputs: { error: 'broken' } });
  });

  it('§6.1 final_output: when an Output node returns early', async () => {
    const content = graph(
      [
        ['start', 'textInput'],
        ['early', 'output', { message: '$start.body.text', allowDownstream: true }],
        ['later', 'set', { mappings: [{ key: 'x', value: '1' }] }],
      ],
      ['start>early', 'early>later'],
    );
    const frames = await stream(await createWorkflow(user, content), { text: 'hi' });
    const [final] = ofType(frames, 'final_output');
    expect(final).toMatchObject({ node_label: 'early', output: { result: 'hi' } });
    const order = types(frames);
    expect(order.indexOf('final_output')).toBeGreaterThan(order.indexOf('node_complete'));
    expect(order.lastIndexOf('node_complete')).toBeGreaterThan(order.indexOf('final_output'));
    expect(order.at(-1)).toBe('execution_complete');
  });

  it('§6.1 final_output: not without an early return', async () => {
    expect(types(await stream(await createWorkflow(user, ECHO), { text: 'hi' }))).not.toContain(
      'final_output',
    );
  });

  it('§6.1 execution_complete: last, with status, outputs and execution_time_ms', async () => {
    const id = await createWorkflow(user, ECHO);
    const frames = await stream(id, { text: 'hi' });
    expect(frames.at(-1)?.data).toMatchObject({
      type: 'execution_complete',
      workflow_id: id,
      status: 'success',
      outputs: { out: { result: 'hi' } },
      execution_time_ms: expect.any(Number),
    });
    expect(ofType(frames, 'execution_complete')).toHaveLength(1);
  });

  it('frames are numbered in order for a reader that asks, so that it can say where it was', async () => {
    const ids = (await stream(await createWorkflow(user, ECHO), { text: 'hi' }, '?event_ids=true')).map(
      ({ id }) => id ?? 0,
    );
    expect(ids).toEqual([...ids].sort((one, two) => one - two));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBeGreaterThan(0);
  });
});

/** Reads frames of a live stream until a condition holds, then drops the connection. */
async function readUntil(response: Response, isEnough: (frames: Frames) => boolean): Promise<Frames> {
  const reader = response.body?.getReader();
  if (!reader) throw new Error('no body');
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    text += new TextDecoder().decode(value);
    const whole = parseFrames(text.slice(0, text.lastIndexOf('\n\n') + 2));
    if (done || isEnough(whole)) {
      await reader.cancel();
      return whole;
    }
  }
}

const post = (url: string) =>
  fetch(`${base}${url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'hi' }),
  });

describe('a stream that was dropped', () => {
  it('is picked up again behind the last frame seen, without gap or duplicate', async () => {
    const id = await createWorkflow(user, WAITING);
    const first = await readUntil(
      await post(executeUrl(id, '/stream?event_ids=true')),
      (frames) => frames.length >= 4,
    );
    const run_id = first[0]?.data['execution_id'];
    const last = first.at(-1)?.id;
    const again = await fetch(`${base}/api/workflows/${id}/executions/${String(run_id)}/stream`, {
      headers: { 'last-event-id': String(last) },
    });
    const rest = await readUntil(again, () => false);
    const all = [...first, ...rest];
    expect(types(all)).toEqual([
      'execution_started',
      'node_start',
      'node_complete',
      'node_start',
      'node_complete',
      'node_start',
      'node_complete',
      'execution_complete',
    ]);
    const ids = all.map((frame) => frame.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('can be read whole after the run has ended, with the same numbers', async () => {
    const id = await createWorkflow(user, WAITING);
    const live = await readUntil(await post(executeUrl(id, '/stream?event_ids=true')), () => false);
    const run_id = live[0]?.data['execution_id'];
    const replay = await readUntil(
      await fetch(`${base}/api/workflows/${id}/executions/${String(run_id)}/stream`),
      () => false,
    );
    expect(replay).toEqual(live);
  });

  it('tells a reader that has seen the end to stay away', async () => {
    const id = await createWorkflow(user, ECHO);
    const frames = await readUntil(await post(executeUrl(id, '/stream?event_ids=true')), () => false);
    const run_id = frames[0]?.data['execution_id'];
    const answer = await app.call(
      'GET',
      `/api/workflows/${id}/executions/${String(run_id)}/stream`,
      undefined,
      {
        'last-event-id': String(frames.at(-1)?.id),
      },
    );
    expect(answer.statusCode).toBe(204);
  });

  it('lets the run continue', async () => {
    const id = await createWorkflow(user, WAITING);
    const first = await readUntil(
      await post(executeUrl(id, '/stream?event_ids=true')),
      (frames) => frames.length >= 4,
    );
    const again = await fetch(
      `${base}/api/workflows/${id}/executions/${String(first[0]?.data['execution_id'])}/stream`,
    );
    expect((await readUntil(again, () => false)).at(-1)?.data).toMatchObject({ status: 'success' });
  });

  it('ends the run when it was started with cancel_on_disconnect=true', async () => {
    const id = await createWorkflow(user, WAITING);
    const started = await post(executeUrl(id, '/stream?cancel_on_disconnect=true'));
    const first = await readUntil(started, (frames) => frames.length >= 4);
    const again = await fetch(
      `${base}/api/workflows/${id}/executions/${String(first[0]?.data['execution_id'])}/stream`,
    );
    expect((await readUntil(again, () => false)).at(-1)?.data).toMatchObject({ status: 'cancelled' });
  });

  it('is not found by callers who may not call the workflow, nor under another workflow', async () => {
    const id = await createWorkflow(user, ECHO, { auth_type: 'jwt' });
    const other = await createWorkflow(user, ECHO);
    const answer = await user.call('POST', executeUrl(id, '/stream?event_ids=true'), { text: 'hi' });
    const run_id = parseFrames(answer.body)[0]?.data['execution_id'];
    const stranger = await app.user();
    const url = (workflow: string) => `/api/workflows/${workflow}/executions/${String(run_id)}/stream`;
    expect((await app.call('GET', url(id))).statusCode).toBe(401);
    expect((await stranger.call('GET', url(id))).statusCode).toBe(404);
    expect((await app.call('GET', url(other))).statusCode).toBe(404);
    expect((await user.call('GET', url(id))).statusCode).toBe(200);
  });
});
