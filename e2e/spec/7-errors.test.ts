import { createWorkflow, ECHO, executeUrl, graph, useTestApp } from '@millrace/server/testing';
import { describe, expect, it, vi } from 'vitest';

const app = await useTestApp();
const user = await app.user();

describe('§7 errors of the execute endpoints', () => {
  it('§7: every 401 names the scheme, for all callers', async () => {
    const byToken = await createWorkflow(user, ECHO, { auth_type: 'jwt' });
    const byHeader = await createWorkflow(user, ECHO, {
      auth_type: 'header_auth',
      auth_header_key: 'X-Key',
      auth_header_value: 'v',
    });
    const made = await user.call('POST', `/api/workflows/${byHeader}/execution-tokens`, { ttl_seconds: 60 });
    const foreign = { authorization: `Bearer ${made.json<{ token: string }>().token}` };
    const answers = [
      await app.call('POST', executeUrl(byToken), {}),
      await app.call('POST', executeUrl(byToken), {}, foreign),
      await app.call('POST', executeUrl(byHeader), {}),
      await app.call('GET', '/api/auth/me'),
      await app.call('POST', '/api/auth/refresh', { refresh_token: 'x' }),
    ];
    for (const { statusCode, headers } of answers)
      expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('§7: the caller of a run that is deleted with its workflow learns it, and is promised no history', async () => {
    const content = graph(
      [
        ['start', 'textInput'],
        ['pause', 'wait', { duration: 1_000 }],
      ],
      ['start>pause'],
    );
    const id = await createWorkflow(user, content);
    const call = user.call('POST', executeUrl(id), {});
    await vi.waitUntil(async () => {
      const active = await user.call('GET', '/api/workflows/executions/active');
      return active.json<{ workflow_id: string }[]>().some(({ workflow_id }) => workflow_id === id);
    });
    expect((await user.call('DELETE', `/api/workflows/${id}`)).statusCode).toBe(204);
    const answer = await call;
    expect([answer.statusCode, answer.json()]).toMatchObject([
      410,
      { code: 'gone', detail: 'The run was deleted before its end' },
    ]);
  });

  for (const method of ['HEAD', 'OPTIONS']) {
    it(`§7: ${method} is another verb too, and starts no run, not even a test run`, async () => {
      const id = await createWorkflow(user, ECHO, { http_method: 'GET' });
      const answer = await app.call(method, executeUrl(id, '?test_run=true'));
      expect(answer.statusCode).toBe(405);
      expect(answer.headers['allow']).toBe('GET');
    });
  }

  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    it(`§7, §4.1: 405 with Allow naming the configured verb, which is POST by default, for ${method}`, async () => {
      const id = await createWorkflow(user, ECHO);
      const answer = await app.call(method, executeUrl(id));
      expect(answer.statusCode).toBe(405);
      expect(answer.headers['allow']).toBe('POST');
      expect(answer.json()).toMatchObject({
        code: 'method_not_allowed',
        detail: expect.stringContaining('POST'),
      });
    });
  }

  it('§7, §2.3: 429 with Retry-After when the rate limit is exceeded, and status rate_limited', async () => {
    const id = await createWorkflow(user, ECHO, { rate_limit_requests: 1, rate_limit_window_seconds: 30 });
    const headers = { 'x-test-ip': '10.77.0.1' };
    await app.call('POST', executeUrl(id), {}, headers);
    const answer = await app.call('POST', executeUrl(id), {}, headers);
    expect(answer.statusCode).toBe(429);
    expect(answer.headers['retry-after']).toBe('30');
    expect(answer.json()).toEqual({
      workflow_id: id,
      status: 'rate_limited',
      outputs: {},
      execution_time_ms: 0,
      detail: expect.any(String),
      code: 'rate_limited',
      request_id: expect.any(String),
    });
  });

  it('§7: on a run error, status is error and outputs hold the details', async () => {
    const content = graph(
      [
        ['start', 'textInput'],
        ['call', 'http', { curl: 'curl http://169.254.169.254/latest/meta-data' }],
      ],
      ['start>call'],
    );
    const answer = await app.call('POST', executeUrl(await createWorkflow(user, content)), {});
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'error', outputs: { error: expect.any(String) } });
  });

  // §2.3 makes the object of a sole JSON mapper the whole body, §7 gives every failed run the status `error`. The mapper
  // of an error flow is not the only terminal of its graph: those of the main flow are there, they just did not run. And a
  // bare object with 200 would look like the answer of a run that succeeded.
  it.each([[undefined], [404]])(
    '§7: a failed run whose error flow ends in a JSON mapper answers with its status (HTTP status of Throw Error: %s)',
    async (httpStatusCode) => {
      const stop = { errorMessage: 'no stock', ...(httpStatusCode ? { httpStatusCode } : {}) };
      const content = graph(
        [
          ['start', 'textInput'],
          ['stop', 'throwError', stop],
          ['handler', 'errorHandler'],
          ['report', 'jsonOutputMapper', { mappings: [{ key: 'reason', value: '$error.message' }] }],
        ],
        ['start>stop', 'handler>report'],
      );
      const answer = await app.call('POST', executeUrl(await createWorkflow(user, content)), {});
      expect(answer.statusCode).toBe(httpStatusCode ?? 200);
      expect(answer.json()).toMatchObject({ status: 'error', outputs: { reason: 'no stock' } });
    },
  );

  it('§7: a workflow that does not exist is 404, one without nodes 400, a bad id 422', async () => {
    const empty = (await user.call('POST', '/api/workflows', { name: 'Empty' })).json<{ id: string }>().id;
    expect((await user.call('POST', executeUrl(empty), {})).json()).toMatchObject({ code: 'bad_request' });
    const missing = executeUrl('00000000-0000-4000-8000-000000000000');
    expect((await app.call('POST', missing, {})).statusCode).toBe(404);
    expect((await app.call('POST', executeUrl('not-an-id'), {})).statusCode).toBe(422);
  });
});

describe('§7 refusals in words', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const JSON_TYPE = { 'content-type': 'application/json' };
  const login = (body: unknown, headers: Record<string, string>) =>
    app.call('POST', '/api/auth/login', body, { 'x-test-ip': '10.77.0.2', ...headers });

  it.each<[string, unknown, (string | number)[], string]>([
    ['a field that is missing', {}, ['body', 'name'], 'is missing; enter text'],
    ['a number for a text', { name: 5 }, ['body', 'name'], 'must be text'],
    [
      'a text that is too long',
      { name: 'x'.repeat(256) },
      ['body', 'name'],
      'must have at most 255 characters',
    ],
    ['a text for a list', { name: 'x', nodes: 'x' }, ['body', 'nodes'], 'must be a list'],
    ['no body', undefined, ['body'], 'is missing; enter an object'],
  ])('%s is named with what to enter', async (_name, body, loc, msg) => {
    const answer = await user.call('POST', '/api/workflows', body);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: unknown[] }>().detail).toContainEqual(expect.objectContaining({ loc, msg }));
  });

  it.each([
    ['a form', '{"email":"a","password":"b"}', FORM],
    ['a text', '{"email":"a","password":"b"}', { 'content-type': 'text/plain' }],
  ])('JSON that is sent as %s is told to say so', async (_name, body, headers) => {
    const answer = await login(body, headers);
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ detail: expect.stringContaining('application/json') });
  });

  it('an empty form is an empty body, as `curl -X POST -d ""` sends it', async () => {
    expect((await app.call('POST', '/api/auth/logout', '', FORM)).statusCode).toBe(204);
  });

  it('a body in an encoding that is not known is refused by its name, also by execute', async () => {
    const id = await createWorkflow(user, ECHO);
    const encoded = { ...JSON_TYPE, 'content-encoding': 'zstd' };
    for (const answer of [
      await login('{}', encoded),
      await app.call('POST', executeUrl(id), '{}', encoded),
    ]) {
      expect(answer.statusCode).toBe(415);
      expect(answer.json()).toMatchObject({ detail: expect.stringContaining('zstd') });
    }
    expect((await app.call('POST', executeUrl(id), {}, { 'content-encoding': 'identity' })).statusCode).toBe(
      200,
    );
  });

  it.each([
    ['lists in lists', '['.repeat(1_000_000), 'too_deep'],
    ['more values than a body may hold', `[${'1,'.repeat(1_000_000)}1]`, 'too_many_values'],
  ])(
    '%s are refused before they are parsed; a stranger may not even send them',
    async (_name, body, type) => {
      const answer = await user.call('POST', '/api/workflows', body, JSON_TYPE);
      expect(answer.statusCode).toBe(422);
      expect(answer.json()).toMatchObject({ detail: [{ loc: ['body'], type }] });
      expect((await login(body, JSON_TYPE)).statusCode).toBe(413);
    },
  );

  it('a malformed URL gets an error response in the usual format', async () => {
    for (const url of ['/api/workflows/%zz/execute', `/api/workflows/${'x'.repeat(600)}/execute`]) {
      const answer = await app.call('POST', url, {});
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toEqual({
        detail: expect.any(String),
        code: 'bad_request',
        request_id: expect.any(String),
      });
    }
  });
});
