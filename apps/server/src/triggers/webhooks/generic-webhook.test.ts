import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { graph, until } from '../../resources/executions/testing/workflows.ts';
import { useTestApp } from '../../testing/test-app.ts';

const app = await useTestApp();
const owner = await app.user();

const SECRET = 'webhook-signing-secret';
const ORDER = '{"order": 7}';
const JSON_HEADERS = { 'content-type': 'application/json' };
let count = 0;

interface Armed {
  readonly id: string;
  readonly url: string;
}

/** A workflow that begins with a webhook, and puts out what it got. */
async function arm(data: object = {}, rest: Parameters<typeof graph>[0] = []): Promise<Armed> {
  const hook = `hook-${(count += 1)}`;
  const nodes = rest.length > 0 ? rest : ([['out', 'output', { message: '$hook.body' }]] as const);
  const content = graph(
    [[hook, 'webhookTrigger', { label: 'hook', ...data }], ...nodes],
    [`${hook}>${nodes[0]?.[0]}`, ...nodes.slice(1).map(([id], at) => `${nodes[at]?.[0]}>${id}`)],
  );
  const made = await owner.call('POST', '/api/workflows', { name: hook, ...content });
  expect(made.statusCode, made.body).toBe(201);
  return { id: made.json<{ id: string }>().id, url: `/api/webhooks/${hook}` };
}

async function credential(type: string, config: object): Promise<string> {
  const made = await owner.call('POST', '/api/credentials', { name: `c${(count += 1)}`, type, config });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

const send = (
  { url }: Pick<Armed, 'url'>,
  payload: string | Buffer = ORDER,
  headers: Record<string, string> = {},
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' = 'POST',
) =>
  app.app.inject({
    method,
    url,
    headers: { ...JSON_HEADERS, ...headers },
    ...(method === 'GET' || method === 'HEAD' ? {} : { payload }),
  });

async function loadRuns({ id }: Armed) {
  const { rows } = await app.services.database.sql.query<{
    id: string;
    input: string;
    trigger_source: string;
  }>({
    text: 'SELECT id, input, trigger_source FROM runs WHERE workflow_id = $1 ORDER BY id',
    values: [id],
  });
  return rows.map((row) => ({ ...row, input: JSON.parse(row.input) as Record<string, unknown> }));
}

const hmac = (body: string | Buffer, algorithm = 'sha256', secret = SECRET) =>
  createHmac(algorithm, secret).update(body);

describe('POST /api/webhooks/{node_id}', () => {
  test('§1, §6.2: starts a run with body, headers, query and verb, which is stored before the answer', async () => {
    const hook = await arm();
    const answer = await send({ url: `${hook.url}?a=1&a=2` }, ORDER, {
      'x-kind': 'test',
      'x-api-key': 'hidden',
    });
    const stored = await loadRuns(hook);
    expect([answer.statusCode, answer.json()]).toEqual([200, { ok: true }]);
    expect(stored).toMatchObject([
      {
        id: answer.headers['x-execution-id'],
        trigger_source: 'webhook',
        input: {
          body: { order: 7 },
          headers: { 'x-kind': 'test' },
          query: { a: '1, 2' },
          method: 'POST',
          triggered_by: 'webhook',
          triggered_at: expect.any(String),
        },
      },
    ]);
    expect(JSON.stringify(stored)).not.toContain('hidden');
    await until(async () => {
      const entry = await owner.call('GET', `/api/workflows/${hook.id}/history/${stored[0]?.id}`);
      return entry.json<{ status: string }>().status === 'success';
    });
  });

  test('verbs that are not chosen get 405 with those that are', async () => {
    const hook = await arm({ methods: ['PUT', 'GET'] });
    for (const method of ['PUT', 'GET'] as const)
      expect((await send(hook, ORDER, {}, method)).statusCode).toBe(200);
    for (const method of ['POST', 'PATCH', 'DELETE', 'HEAD'] as const) {
      const refused = await send(hook, ORDER, {}, method);
      expect([method, refused.statusCode, refused.headers['allow']]).toEqual([method, 405, 'PUT, GET']);
    }
    expect((await loadRuns(hook)).map(({ input }) => input['method'])).toEqual(['PUT', 'GET']);
  });

  test('404 for an unknown node and one that is switched off', async () => {
    expect((await send({ url: '/api/webhooks/nowhere' })).statusCode).toBe(404);
    expect((await send(await arm({ active: false }))).statusCode).toBe(404);
  });

  test('413 for a body that is too large', async () => {
    const hook = await arm();
    expect((await send(hook, Buffer.alloc(16 * 1024 * 1024 + 1, 'a'))).statusCode).toBe(413);
    expect(await loadRuns(hook)).toEqual([]);
  });

  test('an event that is named starts one run, and its repetitions have the same', async () => {
    const hook = await arm({ eventIdHeader: 'X-GitHub-Delivery' });
    const id = { 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(hook, ORDER, id)));
    expect(new Set(answers.map(({ headers }) => headers['x-execution-id'])).size).toBe(1);
    expect(await loadRuns(hook)).toHaveLength(1);
    await send(hook, ORDER);
    await send(hook, ORDER);
    expect(await loadRuns(hook)).toHaveLength(3);
  });
});

describe('§5.7: authentication', () => {
  test('a header', async () => {
    const credentialId = await credential('header', { header_key: 'X-Door', header_value: 'open-sesame' });
    const hook = await arm({ authentication: 'header', credentialId });
    for (const headers of [{}, { 'x-door': 'open' }, { 'x-door': '' }])
      expect((await send(hook, ORDER, headers as Record<string, string>)).statusCode).toBe(401);
    expect(await loadRuns(hook)).toEqual([]);
    expect((await send(hook, ORDER, { 'x-door': 'open-sesame' })).statusCode).toBe(200);
    expect(JSON.stringify(await loadRuns(hook))).not.toContain('sesame');
  });

  test('user name and password', async () => {
    const credentialId = await credential('basic_auth', { username: 'ada', password: 'pä:ss' });
    const hook = await arm({ authentication: 'basic', credentialId });
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const refused = await send(hook, ORDER, basic('ada:wrong'));
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
      401,
      'Basic realm="webhook", charset="UTF-8"',
    ]);
    expect((await send(hook)).statusCode).toBe(401);
    expect((await send(hook, ORDER, basic('ada:pä:ss'))).statusCode).toBe(200);
  });

  test('a refusal by the head comes before the body is read', async () => {
    const credentialId = await credential('header', { header_key: 'X-Door', header_value: 'open-sesame' });
    const hook = await arm({ authentication: 'header', credentialId });
    expect((await send(hook, Buffer.alloc(16 * 1024 * 1024 + 1, 'a'))).statusCode).toBe(401);
  });

  test.each([
    ['X-Hub-Signature-256', 'sha256', 'hex', 'sha256='],
    ['X-Shop-Hmac', 'sha256', 'base64', ''],
    ['X-Signature', 'sha512', 'hex', ''],
    ['X-Hub-Signature', 'sha1', 'hex', 'sha1='],
    ['X-Other', 'sha384', 'base64', 'sha384='],
  ] as const)(
    'a signature in %s by %s as %s',
    async (signatureHeader, signatureAlgorithm, encoding, prefix) => {
      const credentialId = await credential('webhook_secret', { secret: SECRET });
      const hook = await arm({ authentication: 'hmac', credentialId, signatureHeader, signatureAlgorithm });
      const name = signatureHeader.toLowerCase();
      const good = `${prefix}${hmac(ORDER, signatureAlgorithm).digest(encoding)}`;
      const bad = [
        {},
        { [name]: '' },
        { [name]: `${prefix}${hmac(`${ORDER} `, signatureAlgorithm).digest(encoding)}` },
        { [name]: `${prefix}${hmac(ORDER, signatureAlgorithm, 'another').digest(encoding)}` },
        { [name]: good.slice(0, -1) },
      ];
      for (const headers of bad)
        expect((await send(hook, ORDER, headers as Record<string, string>)).statusCode).toBe(401);
      expect(await loadRuns(hook)).toEqual([]);
      expect((await send(hook, ORDER, { [name]: good })).statusCode).toBe(200);
      expect(JSON.stringify(await loadRuns(hook))).not.toContain(good);
    },
  );

  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  test('the signature that GitHub documents for its example', async () => {
    const secret = "It's a Secret to Everybody";
    const credentialId = await credential('webhook_secret', { secret });
    const hook = await arm({ authentication: 'hmac', credentialId });
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const headers = { 'content-type': 'text/plain', 'x-hub-signature-256': signature };
    expect((await send(hook, 'Hello, World!', headers)).statusCode).toBe(200);
    expect((await loadRuns(hook))[0]?.input['body']).toBe('Hello, World!');
  });

  test('settings that are not complete let nothing in', async () => {
    const wrong = await credential('basic_auth', { username: 'a', password: 'b' });
    for (const data of [
      { authentication: 'hmac' },
      { authentication: 'hmac', credentialId: wrong },
      { authentication: 'none', credentialId: wrong },
    ])
      expect((await send(await arm(data))).statusCode).toBe(403);
  });
});

describe('the answer', () => {
  test('§2.3: at the end, with the outputs of the run, also for a call that repeats it', async () => {
    const hook = await arm({ respond: 'at_end', eventIdHeader: 'X-Id' });
    const answers = [await send(hook, ORDER, { 'x-id': '1' }), await send(hook, '{}', { 'x-id': '1' })];
    for (const answer of answers)
      expect(answer.json()).toMatchObject({
        workflow_id: hook.id,
        status: 'success',
        outputs: { out: { result: { order: 7 } } },
      });
    expect(await loadRuns(hook)).toHaveLength(1);
  });

  test('§4.1 rule 6: with the status of a Throw Error node', async () => {
    const hook = await arm({ respond: 'at_end' }, [
      ['no', 'throwError', { errorMessage: 'not today', httpStatusCode: 422 }],
    ]);
    expect((await send(hook)).statusCode).toBe(422);
  });

  test('by an Output node, while the run continues', async () => {
    const slow: Parameters<typeof graph>[0] = [
      ['reply', 'output', { message: 'got it', allowDownstream: true }],
      ['pause', 'wait', { duration: 3_000 }],
      ['done', 'set', { mappings: [{ key: 'a', value: '1' }] }],
    ];
    const hook = await arm({ respond: 'by_output' }, slow);
    const answer = await send(hook);
    expect(answer.json()).toMatchObject({ status: 'success', outputs: { reply: { result: 'got it' } } });
    const run_id = String(answer.headers['x-execution-id']);
    const entry = await owner.call('GET', `/api/workflows/${hook.id}/history/${run_id}`);
    expect(entry.json()).toMatchObject({ status: 'running' });
  });

  test('by an Output node alone, however fast the run ends after it', async () => {
    const hook = await arm({ respond: 'by_output' }, [
      ['reply', 'output', { message: 'got it', allowDownstream: true }],
      ['late', 'output', { message: 'later' }],
    ]);
    expect((await send(hook)).json().outputs).toEqual({ reply: { result: 'got it' } });
  });
});

describe('bodies', () => {
  const body = async (payload: string | Buffer, content_type: string) => {
    const hook = await arm();
    const answer = await send(hook, payload, { 'content-type': content_type });
    expect(answer.statusCode, answer.body).toBe(200);
    return (await loadRuns(hook))[0]?.input['body'];
  };

  test.each<[string, string | Buffer, string, unknown]>([
    ['JSON', '[1, {"a": null}]', 'application/json; charset=utf-8', [1, { a: null }]],
    ['text', 'Grüße', 'text/plain', 'Grüße'],
    ['XML', '<a/>', 'application/xml', '<a/>'],
    ['a form', 'a=1&b=x+y&a=2', 'application/x-www-form-urlencoded', { a: ['1', '2'], b: 'x y' }],
    ['nothing', '', 'application/json', {}],
    [
      'a picture',
      Buffer.from('89504e470d0a1a0a', 'hex'),
      'image/png',
      { filename: '', content_type: 'image/png', size: 8, base64: 'iVBORw0KGgo=' },
    ],
    [
      'bytes that are no text',
      Buffer.from([0xff, 0xfe, 0]),
      'application/x-own',
      { filename: '', content_type: 'application/x-own', size: 3, base64: '//4A' },
    ],
  ])('%s', async (_, payload, content_type, wanted) => {
    expect(await body(payload, content_type)).toEqual(wanted);
  });

  test('a multipart form with a file', async () => {
    const form = new FormData();
    form.append('note', 'Grüße');
    form.append('tag', 'a');
    form.append('tag', 'b');
    form.append('__proto__', 'x');
    form.append('file', new Blob(['hello'], { type: 'text/plain' }), 'a b.txt');
    const sent = new Request('http://x', { method: 'POST', body: form });
    const content_type = sent.headers.get('content-type') ?? '';
    expect(await body(Buffer.from(await sent.arrayBuffer()), content_type)).toEqual({
      note: 'Grüße',
      tag: ['a', 'b'],
      file: { filename: 'a b.txt', content_type: 'text/plain', size: 5, base64: 'aGVsbG8=' },
    });
  });

  test.each([
    ['JSON that is none', '{', 'application/json', 422],
    ['JSON that is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 422],
    ['a forbidden key', '{"__proto__": {}}', 'application/json', 422],
    [
      'a form that is cut off',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
      'multipart/form-data; boundary=x',
      400,
    ],
  ])('%s is refused and starts nothing', async (_, payload, content_type, status) => {
    const hook = await arm();
    expect((await send(hook, payload, { 'content-type': content_type })).statusCode).toBe(status);
    expect(await loadRuns(hook)).toEqual([]);
  });
});
