import {
  createWorkflow,
  ECHO,
  executeUrl,
  graph,
  parseFrames,
  until,
  useOwnTestApp,
} from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useOwnTestApp();
const user = await app.user();

/** Answers with what `$input` is to the workflow. */
const MIRROR = graph(
  [
    ['start', 'textInput'],
    [
      'out',
      'jsonOutputMapper',
      {
        mappings: [
          { key: 'body', value: '$input.body' },
          { key: 'query', value: '$input.query' },
          { key: 'headers', value: '$input.headers' },
        ],
      },
    ],
  ],
  ['start>out'],
);

type Mirrored = { body: unknown; query: Record<string, unknown>; headers: Record<string, string> };

async function mirror(settings: Record<string, string | number> = {}) {
  const id = await createWorkflow(user, MIRROR, settings);
  return { id, read: (answer: { json<T>(): T }) => answer.json<Mirrored>() };
}

async function fetchSource(id: string): Promise<unknown> {
  const list = await user.call('GET', `/api/workflows/${id}/history`);
  return list.json<{ items: { trigger_source: unknown }[] }>().items[0]?.trigger_source;
}

describe('§4.1 workflow execution', () => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    it(`§4.1: the configured verb ${method} executes`, async () => {
      const { id } = await mirror({ http_method: method });
      expect((await app.call(method, executeUrl(id))).statusCode).toBe(200);
    });
  }

  it('§4.1: the stream endpoint takes POST regardless of the method of the workflow', async () => {
    const { id } = await mirror({ http_method: 'GET' });
    const answer = await app.call('POST', executeUrl(id, '/stream'), {}, { accept: 'text/event-stream' });
    expect(answer.statusCode).toBe(200);
    expect(parseFrames(answer.body).at(-1)?.data).toMatchObject({
      type: 'execution_complete',
      status: 'success',
    });
  });

  for (const mode of ['defined', 'generic']) {
    it(`§4.1 rule 1, §9: raw and wrapped bodies are accepted in mode ${mode}`, async () => {
      const { id, read } = await mirror({ webhook_body_mode: mode });
      const raw = await app.call('POST', executeUrl(id), { text: 'a', other: [1] });
      const wrapped = await app.call('POST', executeUrl(id), {
        inputs: { text: 'a', other: [1] },
        test_run: false,
      });
      expect(read(raw).body).toEqual({ text: 'a', other: [1] });
      expect(read(wrapped).body).toEqual({ text: 'a', other: [1] });
    });
  }

  it('§4.1 rule 2, §7, §8.1: ?test_run=true skips the verb check, the cache and the rate limit', async () => {
    const { id } = await mirror({
      http_method: 'PUT',
      cache_ttl_seconds: 60,
      rate_limit_requests: 1,
      rate_limit_window_seconds: 60,
    });
    const headers = { 'x-test-ip': '10.1.2.3' };
    for (let time = 0; time < 3; time++) {
      const answer = await app.call('POST', executeUrl(id, '?test_run=true'), { text: 'x' }, headers);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
    }
    const put = async () => (await app.call('PUT', executeUrl(id), { text: 'x' }, headers)).statusCode;
    expect([await put(), await put()]).toEqual([200, 429]);
    const history = await user.call('GET', `/api/workflows/${id}/history`);
    expect(history.json<{ items: { status: string }[] }>().items.map(({ status }) => status)).not.toContain(
      'cached',
    );
  });

  it('§4.1 rule 2: the wrapped body may say test_run too', async () => {
    const { id } = await mirror({ http_method: 'PUT' });
    expect((await app.call('POST', executeUrl(id), { inputs: {}, test_run: true })).statusCode).toBe(200);
    expect((await app.call('POST', executeUrl(id), { inputs: {}, test_run: false })).statusCode).toBe(405);
  });

  it('§4.1 rule 3: headers have lower-case keys, and the query is there', async () => {
    const { id, read } = await mirror();
    const answer = await app.call('POST', executeUrl(id, '?a=1&b=2&b=3'), {}, { 'X-Custom-Header': 'yes' });
    expect(read(answer).query).toEqual({ a: '1', b: ['2', '3'] });
    expect(read(answer).headers['x-custom-header']).toBe('yes');
  });

  it('§4.1 rule 3: parameters of the stream endpoint are not part of the query that the run sees', async () => {
    const { id } = await mirror();
    const query = '?city=Oslo&test_run=true&event_ids=true&node_progress=true&trigger_source=Canvas';
    const headers = { accept: 'text/event-stream' };
    const answer = await app.call('POST', executeUrl(id, `/stream${query}`), {}, headers);
    const [last] = parseFrames(answer.body).slice(-1);
    expect(JSON.stringify(last?.data)).toContain('"query":{"city":"Oslo"}');
  });

  it.each(['GET', 'DELETE'])(
    '§4.1 rule 3: a stream of a workflow with %s takes its inputs from the query',
    async (http_method) => {
      const { id } = await mirror({ http_method });
      const headers = { accept: 'text/event-stream' };
      const address = executeUrl(id, '/stream?city=Oslo&event_ids=true');
      for (const body of [undefined, {}]) {
        const answer = await app.call('POST', address, body, headers);
        expect(JSON.stringify(parseFrames(answer.body).at(-1)?.data)).toContain('"body":{"city":"Oslo"}');
      }
      const answer = await app.call('POST', address, { city: 'Bergen' }, headers);
      expect(JSON.stringify(parseFrames(answer.body).at(-1)?.data)).toContain('"body":{"city":"Bergen"}');
    },
  );

  it('§4.1 rule 3: headers that prove who calls are not shown to the workflow', async () => {
    const { id, read } = await mirror({ auth_header_key: 'X-Own', auth_header_value: 'v' });
    const answer = await app.call(
      'POST',
      executeUrl(id),
      {},
      { 'x-api-key': 'k', cookie: 'c=1', 'x-own': 'v' },
    );
    expect(Object.keys(read(answer).headers)).not.toEqual(expect.arrayContaining(['x-api-key']));
    expect(Object.keys(read(answer).headers)).not.toEqual(expect.arrayContaining(['cookie']));
    expect(Object.keys(read(answer).headers)).not.toEqual(expect.arrayContaining(['x-own']));
  });

  for (const method of ['GET', 'DELETE']) {
    it(`§4.1 rule 3: with ${method} inputs come from the query string`, async () => {
      const { id, read } = await mirror({ http_method: method });
      const answer = await app.call(method, executeUrl(id, '?city=Oslo&test_run=false'));
      expect(read(answer).body).toEqual({ city: 'Oslo' });
      expect(read(answer).query).toEqual({ city: 'Oslo' });
    });
  }

  it('§4.1 rule 4: the header X-Trigger-Source sets the label', async () => {
    const { id } = await mirror();
    await app.call('POST', executeUrl(id), {}, { 'x-trigger-source': 'Nightly import' });
    expect(await fetchSource(id)).toBe('Nightly import');
  });

  it('§4.1 rule 4: so do the query parameter and the body parameter', async () => {
    const { id } = await mirror();
    await app.call('POST', executeUrl(id, '?trigger_source=Query'), {});
    expect(await fetchSource(id)).toBe('Query');
    await app.call('POST', executeUrl(id), { inputs: {}, trigger_source: 'Body' });
    expect(await fetchSource(id)).toBe('Body');
  });

  it('§4.1 rule 5: the stream applies the same cache', async () => {
    const { id } = await mirror({ cache_ttl_seconds: 60 });
    await app.call('POST', executeUrl(id), { text: 'once' }, { 'user-agent': 'a' });
    const answer = await app.call('POST', executeUrl(id, '/stream'), { text: 'once' }, { 'user-agent': 'b' });
    expect(parseFrames(answer.body)).toHaveLength(1);
    expect(parseFrames(answer.body)[0]?.data).toMatchObject({
      type: 'execution_complete',
      status: 'cached',
      execution_time_ms: 0,
      outputs: { body: { text: 'once' } },
    });
  });

  it('§4.1 rule 5: the stream applies the same rate limit', async () => {
    const { id } = await mirror({ rate_limit_requests: 1, rate_limit_window_seconds: 60 });
    const headers = { 'x-test-ip': '10.9.9.9' };
    expect((await app.call('POST', executeUrl(id), {}, headers)).statusCode).toBe(200);
    const refused = await app.call('POST', executeUrl(id, '/stream'), {}, headers);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ status: 'rate_limited' });
  });

  for (const status of [400, 404, 418, 422, 500, 503, 599]) {
    it(`§4.1 rule 6, §7, §2.3: a Throw Error node sets the status ${status}`, async () => {
      const content = graph(
        [
          ['start', 'textInput'],
          ['stop', 'throwError', { errorMessage: 'Not today, $input.body.name', httpStatusCode: status }],
        ],
        ['start>stop'],
      );
      const answer = await app.call('POST', executeUrl(await createWorkflow(user, content)), { name: 'Ada' });
      expect(answer.statusCode).toBe(status);
      expect(answer.json()).toMatchObject({ status: 'error', outputs: { error: 'Not today, Ada' } });
    });
  }

  it('§4.1 rule 7: the key is made of workflow, body and query', async () => {
    const { id } = await mirror({ cache_ttl_seconds: 60 });
    const other = await createWorkflow(user, ECHO, { cache_ttl_seconds: 60 });
    const answered = async (target: string, rest: string, body: unknown) =>
      (await app.call('POST', executeUrl(target, rest), body, { 'x-simple-response': 'false' })).json<{
        status: string;
      }>().status;
    expect(await answered(id, '', { a: 1, b: 2 })).toBe('success');
    expect(await answered(id, '', { b: 2, a: 1 })).toBe('cached');
    expect(await answered(id, '', { a: 1, b: 3 })).toBe('success');
    expect(await answered(id, '?q=1', { a: 1, b: 2 })).toBe('success');
    expect(await answered(other, '', { a: 1, b: 2 })).toBe('success');
  });

  it('§4.1 rule 7: an entry lives for cache_ttl_seconds', async () => {
    const { id } = await mirror({ cache_ttl_seconds: 60 });
    const status = async () =>
      (await app.call('POST', executeUrl(id), { t: 1 }, { 'x-simple-response': 'false' })).json<{
        status: string;
      }>().status;
    expect(await status()).toBe('success');
    expect(await status()).toBe('cached');
    app.clock.now += 61_000;
    expect(await status()).toBe('success');
  });

  it('§4.1 rule 7: only success is stored', async () => {
    const content = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'no', httpStatusCode: 400 }],
      ],
      ['start>stop'],
    );
    const id = await createWorkflow(user, content, { cache_ttl_seconds: 60 });
    for (let time = 0; time < 2; time++)
      expect((await app.call('POST', executeUrl(id), {})).json()).toMatchObject({ status: 'error' });
  });

  for (const route of ['', '/stream']) {
    it(`§3.1 §4.1 rule 7: an early answer counts once its run has finished with success, for execute${route}`, async () => {
      const content = graph(
        [
          ['start', 'textInput'],
          ['early', 'output', { message: 'taken', allowDownstream: true }],
          ['fits', 'condition', { condition: '$start.body.fits == true' }],
          ['stop', 'throwError', { errorMessage: 'no' }],
          ['end', 'consoleLog', { logMessage: 'done' }],
        ],
        ['start>early', 'early>fits', 'fits:true>end', 'fits:false>stop'],
      );
      const id = await createWorkflow(user, content, { cache_ttl_seconds: 60 });
      const again = async (body: unknown) =>
        (await app.call('POST', executeUrl(id), body)).json<{ status: string }>().status;
      await app.call('POST', executeUrl(id, route), { fits: false }, { 'idempotency-key': `no${route}` });
      await app.call('POST', executeUrl(id, route), { fits: false });
      await app.call('POST', executeUrl(id, route), { fits: true });
      await until(async () => (await again({ fits: true })) === 'cached');
      expect(await again({ fits: false })).toBe('success');
    });
  }

  it('§4.1 rule 7: clearing the cache of a workflow makes it run again', async () => {
    const { id } = await mirror({ cache_ttl_seconds: 60 });
    const status = async () =>
      (await app.call('POST', executeUrl(id), {}, { 'x-simple-response': 'false' })).json<{
        status: string;
      }>().status;
    expect(await status()).toBe('success');
    await until(async () => (await status()) === 'cached');
    expect((await user.call('DELETE', `/api/workflows/${id}/cache`)).statusCode).toBe(204);
    expect(await status()).toBe('success');
  });
});
