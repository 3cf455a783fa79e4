import { describe, expect, test } from 'vitest';
import { createTestApp, useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph, parseFrames, until } from './testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();

const run = (id: string, body: unknown = {}, headers: Record<string, string> = {}, rest = '') =>
  app.call('POST', executeUrl(id, rest), body, headers);

const countRuns = async (id: string): Promise<number> => {
  const { rows } = await app.services.database.sql.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM runs WHERE workflow_id = $1',
    values: [id],
  });
  return rows[0]?.count ?? 0;
};

const slow = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
      ['out', 'output', { message: '$start.body.text' }],
    ],
    ['start>pause', 'pause>out'],
  );

describe('X-Simple-Response', () => {
  test('true answers the bare outputs', async () => {
    const id = await createWorkflow(owner, ECHO);
    const answer = await run(id, { text: 'hi' }, { 'x-simple-response': 'true' });
    expect(answer.json()).toEqual({ out: { result: 'hi' } });
  });

  test('false answers the envelope with node results', async () => {
    const id = await createWorkflow(owner, ECHO);
    const answer = await run(id, { text: 'hi' }, { 'x-simple-response': 'false' });
    expect(answer.json()).toEqual({
      workflow_id: id,
      status: 'success',
      outputs: { out: { result: 'hi' } },
      execution_time_ms: expect.any(Number),
      execution_history_id: answer.headers['x-execution-id'],
      node_results: [
        expect.objectContaining({ node_id: 'start', status: 'success' }),
        expect.objectContaining({ node_id: 'shape', output: { text: 'hi' } }),
        expect.objectContaining({ node_id: 'out', output: { result: 'hi' } }),
      ],
    });
  });
});

describe('an HTML mapper that is the only terminal', () => {
  const page = (data: Record<string, string | number>) =>
    graph(
      [
        ['start', 'textInput'],
        ['page', 'htmlOutputMapper', { html: '<h1>$start.body.name</h1>', ...data }],
      ],
      ['start>page'],
    );

  test('answers the page in a sandbox of its own', async () => {
    const id = await createWorkflow(owner, page({ statusCode: 201 }));
    const answer = await run(id, { name: 'Ada' });
    expect(answer.statusCode).toBe(201);
    expect(answer.body).toBe('<h1>Ada</h1>');
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toMatch(/^sandbox /);
    expect(answer.headers['content-security-policy']).not.toContain('allow-same-origin');
  });

  test.each([
    ['text/javascript', 'text/plain; charset=utf-8'],
    ['application/x-javascript', 'text/plain; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['text/css; charset=utf-8', 'text/css; charset=utf-8'],
  ])('as %s is sent as %s: it is no script of our own origin', async (contentType, sent) => {
    const id = await createWorkflow(owner, page({ contentType }));
    expect((await run(id, { name: 'Ada' })).headers['content-type']).toBe(sent);
  });

  test('cannot smuggle headers through its content type', async () => {
    const id = await createWorkflow(owner, page({ contentType: 'text/html\r\nSet-Cookie: a=b' }));
    const answer = await run(id, { name: 'Ada' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.json()).toMatchObject({ status: 'error' });
  });

  test('is an ordinary output in the full form', async () => {
    const id = await createWorkflow(owner, page({}));
    const answer = await run(id, { name: 'Ada' }, { 'x-simple-response': 'false' });
    expect(answer.json()).toMatchObject({ outputs: { page: { html: '<h1>Ada</h1>' } } });
  });
});

describe('Idempotency-Key', () => {
  const key = (value: string) => ({ 'idempotency-key': value });

  test('returns the first run instead of running twice', async () => {
    const id = await createWorkflow(owner, ECHO);
    const first = await run(id, { text: 'a' }, key('k1'));
    const again = await run(id, { text: 'a' }, key('k1'));
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['x-execution-id']).toBe(first.headers['x-execution-id']);
    expect(again.body).toBe(first.body);
    expect(await countRuns(id)).toBe(1);
  });

  test('repeats the whole answer: status of a Throw Error, shape of a mapper', async () => {
    const stop = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'no', httpStatusCode: 418 }],
      ],
      ['start>stop'],
    );
    const id = await createWorkflow(owner, stop);
    expect((await run(id, {}, key('k'))).statusCode).toBe(418);
    const again = await run(id, {}, key('k'));
    expect(again.statusCode).toBe(418);
    expect(again.json()).toMatchObject({ status: 'error', outputs: { error: 'no' } });
  });

  test('waits for the first run while it is still running', async () => {
    const id = await createWorkflow(owner, slow(100));
    const answers = await Promise.all([1, 2, 3].map(() => run(id, { text: 'a' }, key('same'))));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await countRuns(id)).toBe(1);
  });

  test('refuses another body with the same key', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id, { text: 'a' }, key('k2'));
    const answer = await run(id, { text: 'b' }, key('k2'));
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ detail: [{ loc: ['header', 'Idempotency-Key'] }] });
  });

  test('belongs to its workflow', async () => {
    const one = await createWorkflow(owner, ECHO);
    const two = await createWorkflow(owner, ECHO);
    await run(one, { text: 'a' }, key('k3'));
    expect((await run(two, { text: 'b' }, key('k3'))).statusCode).toBe(200);
  });

  test('must look like a key', async () => {
    const id = await createWorkflow(owner, ECHO);
    for (const value of ['', 'with space', 'x'.repeat(256)])
      expect((await run(id, {}, key(value))).statusCode).toBe(422);
  });

  test('makes a stream follow the first run', async () => {
    const id = await createWorkflow(owner, ECHO);
    const first = parseFrames((await run(id, { text: 'a' }, key('k4'), '/stream')).body);
    const again = parseFrames((await run(id, { text: 'a' }, key('k4'), '/stream')).body);
    expect(again.at(-1)?.data).toEqual(first.at(-1)?.data);
    expect(await countRuns(id)).toBe(1);
  });
});

test('an early output is answered while the run continues', async () => {
  const content = graph(
    [
      ['start', 'textInput'],
      ['early', 'output', { message: '$start.body.text', allowDownstream: true }],
      ['pause', 'wait', { duration: 300 }],
      ['later', 'set', { mappings: [{ key: 'done', value: 'yes' }] }],
    ],
    ['start>early', 'early>pause', 'pause>later'],
  );
  const id = await createWorkflow(owner, content);
  const answer = await run(id, { text: 'now' });
  expect(answer.json()).toMatchObject({ status: 'success', outputs: { early: { result: 'now' } } });
  const url = `/api/workflows/${id}/history/${String(answer.headers['x-execution-id'])}`;
  expect((await owner.call('GET', url)).json()).toMatchObject({ status: 'running' });
  await until(async () => (await owner.call('GET', url)).json<{ status: string }>().status === 'success');
});

test('a call with the same key gets the early answer again, also when the run has failed since', async () => {
  const content = graph(
    [
      ['start', 'textInput'],
      ['early', 'output', { message: '$start.body.text', allowDownstream: true }],
      ['stop', 'throwError', { errorMessage: 'no', httpStatusCode: 418 }],
    ],
    ['start>early', 'early>stop'],
  );
  const id = await createWorkflow(owner, content);
  const key = { 'idempotency-key': 'early' };
  const first = await run(id, { text: 'now' }, key);
  const url = `/api/workflows/${id}/history/${String(first.headers['x-execution-id'])}`;
  await until(async () => (await owner.call('GET', url)).json<{ status: string }>().status === 'error');
  const again = await run(id, { text: 'now' }, key);
  expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect(again.json()).toEqual(first.json());
  expect(again.json()).toMatchObject({ status: 'success', outputs: { early: { result: 'now' } } });
});

test('a workflow that was saved a moment ago is the one that runs', async () => {
  const id = await createWorkflow(owner, ECHO);
  await run(id);
  const changed = graph(
    [
      ['start', 'textInput'],
      ['out', 'output', { message: 'changed' }],
    ],
    ['start>out'],
  );
  await owner.call('PUT', `/api/workflows/${id}`, { ...changed });
  expect((await run(id)).json()).toMatchObject({ outputs: { out: { result: 'changed' } } });
  await owner.call('DELETE', `/api/workflows/${id}`);
  expect((await run(id)).statusCode).toBe(404);
});

test('a Disable Node node switches the stored node off', async () => {
  const content = graph(
    [
      ['start', 'textInput'],
      ['off', 'disableNode', { targetNodeLabel: 'victim' }],
      ['victim', 'set', { mappings: [{ key: 'ran', value: 'yes' }] }],
    ],
    ['start>off', 'off>victim'],
  );
  const id = await createWorkflow(owner, content);
  const answer = await run(id, {}, { 'x-simple-response': 'false' });
  const rows = answer.json<{ node_results: { node_id: string; status: string }[] }>().node_results;
  expect(rows.find(({ node_id }) => node_id === 'victim')?.status).toBe('skipped');
  const stored = await owner.call('GET', `/api/workflows/${id}`);
  const victim = stored
    .json<{ nodes: { id: string; data: { active?: boolean } }[] }>()
    .nodes.find((node) => node.id === 'victim');
  expect(victim?.data.active).toBe(false);
});

test('/metrics counts runs by status and source, with few labels', async () => {
  const id = await createWorkflow(owner, ECHO);
  await run(id, {}, { 'x-trigger-source': 'an unlisted source' });
  const { body, headers } = await app.call('GET', '/metrics');
  expect(headers['content-type']).toMatch(/^text\/plain/);
  expect(body).toMatch(/millrace_runs_total\{status="success",source="custom"\} \d+/);
  expect(body).not.toContain('an unlisted source');
  for (const name of [
    'millrace_run_duration_seconds',
    'millrace_active_runs',
    'millrace_nodejs_eventloop_lag_seconds',
  ])
    expect(body).toContain(name);
});

describe('hostile bodies', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const BODIES: [string, string, string, number][] = [
    ['broken JSON', 'application/json', '{"a":', 422],
    ['a JSON type with no JSON', 'application/json', 'hello', 422],
    ['__proto__', 'application/json', '{"__proto__":{"polluted":true}}', 422],
    ['constructor', 'application/json', '{"constructor":{"prototype":{"polluted":true}}}', 422],
    ['__proto__ deep inside', 'application/json', '{"a":[{"b":{"__proto__":1}}]}', 422],
    ['__proto__ in inputs', 'application/json', '{"inputs":{"__proto__":1}}', 422],
    ['__proto__ in a form', 'application/x-www-form-urlencoded', '__proto__=1&a=2', 422],
    ['nesting beyond the limit', 'application/json', nested(65), 422],
    ['nesting that would exhaust a parser', 'application/json', nested(200_000), 422],
    ['nesting within the limit', 'application/json', nested(60), 200],
    ['NUL and lone surrogates', 'application/json', '{"text":"\\u0000\\ud800\\udfff"}', 200],
    ['a number beyond a double', 'application/json', '{"n":1e400}', 200],
    ['null', 'application/json', 'null', 200],
    ['a list', 'application/json', '[1,"two",null]', 200],
    ['a text', 'text/plain', 'just words', 200],
    ['a form', 'application/x-www-form-urlencoded', 'text=hi&text=ho&x=%00', 200],
    ['an empty form', 'application/x-www-form-urlencoded', '', 200],
    ['an unknown type', 'application/x-unheard-of', 'bytes', 200],
    ['a multipart body', 'multipart/form-data; boundary=x', '--x\r\n\r\n--x--', 415],
    ['a type that is none', ';;;', '{}', 415],
    ['test_run of a wrong type', 'application/json', '{"inputs":{},"test_run":{"a":1}}', 200],
    ['trigger_source of a wrong type', 'application/json', '{"inputs":{},"trigger_source":[1]}', 200],
    ['inputs of a wrong type', 'application/json', '{"inputs":"text"}', 200],
    ['keys that look like expressions', 'application/json', '{"$input.body":"$credentials.x"}', 200],
  ];

  for (const [name, type, payload, status] of BODIES) {
    test(`${name} is answered with ${status}`, async () => {
      const id = await createWorkflow(owner, ECHO);
      for (const rest of ['', '/stream']) {
        const answer = await app.app.inject({
          method: 'POST',
          url: executeUrl(id, rest),
          headers: { 'content-type': type },
          payload,
        });
        expect(answer.statusCode).toBe(status);
        if (status >= 400)
          expect(answer.json()).toMatchObject({ code: expect.any(String), detail: expect.anything() });
        expect(answer.body).not.toMatch(/at .*\.ts|node_modules/);
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });
  }

  test('a body over the limit is 413', async () => {
    const small = await createTestApp({ env: { REQUEST_BODY_MAX_SIZE_MB: '1' } });
    const user = await small.user();
    const id = await createWorkflow(user, ECHO);
    const answer = await small.call('POST', executeUrl(id), { text: 'x'.repeat(1_100_000) });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ code: 'too_large' });
    await small.close();
  });

  test('reserved names and NUL in the query and in headers do no harm', async () => {
    const id = await createWorkflow(owner, ECHO, { http_method: 'GET' });
    const status = async (query: string, headers = {}) =>
      (await app.call('GET', executeUrl(id, query), undefined, headers)).statusCode;
    expect(await status('?__proto__=1')).toBe(422);
    expect(await status('?constructor=1')).toBe(422);
    expect(await status('?trigger_source=%00%01x&a=%00')).toBe(200);
    expect(await status('', { constructor: 'x', 'x-trigger-source': 'x'.repeat(5000) })).toBe(200);
  });
});

describe('a whole number that a double cannot hold', () => {
  const ID = '9007199254740993';
  const BODY = Buffer.from(`{"order": ${ID}}`);
  const JSON_TYPE = { 'content-type': 'application/json' };
  const answering = (start: string, type: string) =>
    graph(
      [
        [start, type, { label: 'start', ...(type === 'webhookTrigger' ? { respond: 'at_end' } : {}) }],
        ['out', 'output', { message: '$start.body' }],
      ],
      [`${start}>out`],
    );

  test.each([
    ['an execute call', 'textInput', (id: string) => executeUrl(id)],
    ['a webhook', 'webhookTrigger', () => '/api/webhooks/exact-webhookTrigger'],
  ])('keeps its digits in the answer and the history of %s', async (_, type, buildUrl) => {
    const start = `exact-${type}`;
    const id = await createWorkflow(owner, answering(start, type));
    const url = buildUrl(id);
    const answer = await app.app.inject({ method: 'POST', url, headers: JSON_TYPE, payload: BODY });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.body).toContain(ID);
    const { rows } = await app.services.database.sql.query<{ id: string }>({
      text: 'SELECT id FROM runs WHERE workflow_id = $1',
      values: [id],
    });
    const history = await owner.call('GET', `/api/workflows/${id}/history/${rows[0]?.id}`);
    expect(history.statusCode, history.body).toBe(200);
    expect(history.json<{ node_results: object[] }>().node_results).toContainEqual(
      expect.objectContaining({ node_id: 'out', output: { result: { order: ID } } }),
    );
  });
});
