import type { Json } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import type { EgressRequest } from '../services.ts';
import { runNode, type Situation, traceNode } from '../testing/run-node.ts';

const inputs: Record<string, Json> = {
  start: {
    id: 7,
    text: `quote " and ' and space`,
    object: { a: 'b' },
    list: ['x', 'y'],
    yes: true,
    none: null,
    key: 'Bearer token',
    lines: 'a\r\nX-Evil: 1',
    path: '@evil.example/',
    url: 'https://host.example/p?q=1',
    form: 'a&admin=1',
    digits: '5',
    escape: '", "admin": true, "x": "',
  },
};

async function sent(curl: string, data: Record<string, Json> = {}): Promise<EgressRequest> {
  const { result, trace } = await traceNode('http', { curl, ...data }, { inputs });
  if ('failure' in result) throw new Error(result.failure.message);
  const [request] = trace.requests;
  if (!request) throw new Error('nothing was sent');
  return request;
}

const body = async (curl: string) => (await sent(curl)).body;
const headers = async (curl: string) => Object.fromEntries((await sent(curl)).headers);

test('a whole command that comes as data is read as it is, and its `$` are characters', async () => {
  const command = "curl -X PUT https://api.example.com/a -d 'costs $input.token'";
  const { trace } = await traceNode(
    'http',
    { curl: '$start.body.curl' },
    { inputs: { start: { body: { curl: command }, token: 'secret' } } },
  );
  expect(trace.requests[0]).toMatchObject({
    method: 'PUT',
    url: 'https://api.example.com/a',
    body: 'costs $input.token',
  });
});

test('a command that comes as data may lack its first word', async () => {
  const command = 'https://api.example.com/a -X PUT -d x';
  const inputs = { start: { body: { curl: command } } };
  const { trace } = await traceNode('http', { curl: '$start.body.curl' }, { inputs });
  expect(trace.requests[0]).toMatchObject({ method: 'PUT', url: 'https://api.example.com/a', body: 'x' });
});

test('a header Authorization that is one bearer credential gets its scheme; other credentials stay', async () => {
  const authorization = async (curl: string, token = 'abc') => {
    const names = { credentials: { mine: token, 'my-key': token, raw: token } };
    const { trace } = await traceNode('http', { curl }, { names, bearers: ['mine', 'my-key'] });
    return Object.fromEntries(trace.requests[0]?.headers ?? [])['Authorization'];
  };
  expect(await authorization('curl -H "Authorization: $credentials.mine" https://a')).toBe('Bearer abc');
  expect(await authorization('curl -H "Authorization: $credentials.mine" https://a', 'Bearer abc')).toBe(
    'Bearer abc',
  );
  expect(await authorization(`curl -H 'Authorization: $credentials["my-key"]' https://a`)).toBe('Bearer abc');
  expect(await authorization('curl -H "Authorization: $credentials.raw" https://a')).toBe('abc');
  expect(await authorization('curl -H "Authorization: Token $credentials.mine" https://a')).toBe('Token abc');
});

async function failure(curl: string, situation: Situation = {}) {
  const { result, trace } = await traceNode('http', { curl }, { inputs, ...situation });
  expect(trace.requests).toEqual([]);
  return 'failure' in result ? result.failure : undefined;
}

describe('the command', () => {
  test.each([
    ['curl https://a.example/p', 'GET', 'https://a.example/p'],
    ['https://a.example', 'GET', 'https://a.example/'],
    ['curl a.example', 'GET', 'http://a.example/'],
    ['curl -X PUT https://a.example', 'PUT', 'https://a.example/'],
    ['curl -Xdelete https://a.example', 'DELETE', 'https://a.example/'],
    ['curl --request=PATCH --url https://a.example', 'PATCH', 'https://a.example/'],
    ['curl -d a=b https://a.example', 'POST', 'https://a.example/'],
    ['curl -X GET -d a=b https://a.example', 'GET', 'https://a.example/'],
    ['curl -I https://a.example', 'HEAD', 'https://a.example/'],
    ['curl -sSLX POST https://a.example', 'POST', 'https://a.example/'],
    ["curl 'https://a.example/?a=1&b=2'", 'GET', 'https://a.example/?a=1&b=2'],
    [
      'curl -G -d a=1 --data-urlencode "b=x y" https://a.example/?z=0',
      'GET',
      'https://a.example/?z=0&a=1&b=x%20y',
    ],
    [
      "curl -X PUT -d x=1 --url-query 'b=x y' --url-query '+c=1&d=2' https://a.example/?z=0",
      'PUT',
      'https://a.example/?z=0&b=x%20y&c=1&d=2',
    ],
    [
      "curl -G --url-query 'q=$input.form' -d a=1 https://a.example",
      'GET',
      'https://a.example/?q=a%26admin%3D1&a=1',
    ],
    ['curl https://a.example/$input.id', 'GET', 'https://a.example/7'],
    ['curl $input.url', 'GET', 'https://host.example/p?q=1'],
    ['curl -o out.txt --max-redirs 5 -x proxy:1 https://a.example', 'GET', 'https://a.example/'],
  ])('%s', async (curl, method, url) => {
    expect(await sent(curl)).toMatchObject({ method, url });
  });

  test('redirects are followed with -L only', async () => {
    expect((await sent('curl https://a.example')).follow_redirects).toBe(false);
    expect((await sent('curl -L https://a.example')).follow_redirects).toBe(true);
  });

  test('the time limit is 300 s, and -m can lower it', async () => {
    expect((await sent('curl https://a.example')).timeout_ms).toBe(300_000);
    expect((await sent('curl -m 2.5 https://a.example')).timeout_ms).toBe(2500);
    expect((await sent('curl -m 9999 https://a.example')).timeout_ms).toBe(300_000);
  });

  test('a certificate is not checked with -k only', async () => {
    expect((await sent('curl https://a.example')).insecure).toBe(false);
    expect((await sent('curl -k https://a.example')).insecure).toBe(true);
    expect((await sent('curl --insecure https://a.example')).insecure).toBe(true);
  });

  test('options without effect are logged as a warning', async () => {
    const { trace } = await traceNode('http', { curl: 'curl -Z --compressed --retry 3 https://a.example' });
    expect(trace.logged).toEqual([{ level: 'warn', message: 'curl options without effect: -Z --retry' }]);
  });

  test.each([
    ['', 'such as curl https://api.example.com'],
    ['curl', 'no address'],
    ['curl -X', '-X'],
    ["curl 'https://a", 'never closed'],
    ['curl https://a https://b', 'more than one address'],
    ['curl https://a | jq .', 'belongs to a shell'],
    ['curl -d @file https://a', 'reads a file'],
    ['curl -F f=@file https://a', 'reads a file'],
    ['curl -T file https://a', 'reads a file'],
    ['curl -b jar https://a', 'cookie file'],
    ['curl -X CONNECT https://a', 'not available'],
    ['curl -X "GET /x" https://a', 'not an HTTP method'],
    ['curl -H "no colon" https://a', 'no colon'],
    ['curl -H "bad name: x" https://a', 'not a header name'],
    ['curl "http://["', 'not an address'],
    ['curl -m soon https://a', 'number of seconds'],
    ['curl -F a=b -d c=d https://a', 'cannot be used together'],
  ])('%j fails with what to change', async (curl, message) => {
    const wanted = message === '-X' ? 'needs a value' : message;
    expect(await failure(curl)).toMatchObject({
      kind: 'params',
      field: 'curl',
      final: true,
      message: expect.stringContaining(wanted),
    });
  });
});

describe('an error status', () => {
  const answered = (status: number, data: Record<string, Json>) =>
    runNode(
      'http',
      { curl: 'curl https://a.example', ...data },
      {
        answer: { status, body: '{"message": "no such order"}' },
      },
    );

  test.each([200, 302, 399])('%d never fails the node', async (status) => {
    expect(await answered(status, { failOnErrorStatus: true })).toMatchObject({ output: { status } });
  });

  test.each([400, 401, 404, 429, 500])('%d is an output unless the node says otherwise', async (status) => {
    expect(await answered(status, {})).toMatchObject({ output: { status } });
    const result = await answered(status, { failOnErrorStatus: true });
    expect(result).toMatchObject({
      failure: {
        message: expect.stringMatching(/^a\.example .*: no such order$/),
        details: { status, body: { message: 'no such order' } },
      },
    });
  });

  test('a refused sign-in is not tried again, other statuses may be', async () => {
    expect(await answered(401, { failOnErrorStatus: true })).toMatchObject({
      failure: { final: true, field: 'curl' },
    });
    const result = await answered(503, { failOnErrorStatus: true });
    expect('failure' in result && result.failure.final).toBeUndefined();
  });
});

describe('headers', () => {
  test('are sent in order with their references filled in', async () => {
    const request = await sent('curl -H "X-Id: $input.id" -H "Accept: a" https://a.example');
    expect(request.headers).toEqual([
      ['X-Id', '7'],
      ['Accept', 'a'],
    ]);
  });

  test.each([
    ['-H "Authorization: Bearer $input.key"', 'Bearer token'],
    ['-H "Authorization: $input.key"', 'Bearer token'],
    ['-H "Authorization: bearer  Bearer x"', 'Bearer x'],
    ['-H "Authorization: Basic abc"', 'Basic abc'],
    ['--oauth2-bearer abc', 'Bearer abc'],
    ['-u user:pass', 'Basic dXNlcjpwYXNz'],
    ['-u user', 'Basic dXNlcjo='],
    ['-u user:pass -H "Authorization: mine"', 'mine'],
  ])('%s authorizes with %s', async (option, value) => {
    expect(await headers(`curl ${option} https://a.example`)).toEqual({ Authorization: value });
  });

  test('a whole line may come from a value', async () => {
    const situation = { inputs: { start: { line: 'X-Key: a:b' } } };
    const { trace } = await traceNode('http', { curl: 'curl -H $input.line https://a.example' }, situation);
    expect(trace.requests[0]?.headers).toEqual([['X-Key', 'a:b']]);
  });

  test('curl options that stand for headers', async () => {
    expect(await headers('curl -A agent -e https://r -b "a=1; b=2" https://a.example')).toEqual({
      'User-Agent': 'agent',
      Referer: 'https://r',
      Cookie: 'a=1; b=2',
    });
  });

  test('a name without a value takes the header away, with a semicolon it is sent empty', async () => {
    expect(await headers('curl -H "Accept:" -H "X-Empty;" https://a.example')).toEqual({ 'X-Empty': '' });
  });

  test.each([
    'curl -H "X-A: $input.lines" https://a.example',
    'curl -H "$input.lines: x" https://a.example',
    'curl -H $input.lines https://a.example',
    'curl -A $input.lines https://a.example',
    'curl -u $input.lines --oauth2-bearer $input.lines https://a.example',
    'curl -b "a=$input.lines" https://a.example',
    'curl https://a.example/$input.lines',
    String.raw`curl -H $'X-A: a\r\nX-Evil: 1' https://a.example`,
  ])('line breaks cannot add a header: %s', async (curl) => {
    const outcome = await failure(curl).catch(() => undefined);
    expect(outcome?.message).toMatch(/must not contain line breaks|not a header name/);
  });
});

describe('the address', () => {
  test.each([
    '@evil.example/',
    '.evil.example',
    'x',
    ':80@evil.example',
    '\\@evil.example',
    '%40evil.example',
  ])('the value %j behind a written host cannot replace the host', async (path) => {
    const situation = { inputs: { start: { path } } };
    expect(await failure('curl https://api.example$input.path', situation)).toMatchObject({
      message: expect.stringContaining('would change the host'),
    });
  });

  test.each([
    ['https://api.example$input.v', '/p?q', 'https://api.example/p?q'],
    ['https://api.example$input.v', ':8080/p', 'https://api.example:8080/p'],
    ['https://api.$input.v', 'example.com/p', 'https://api.example.com/p'],
    ['https://node$input.v', '1.example', 'https://node1.example/'],
    ['http://localhost:$input.v', '8080', 'http://localhost:8080/'],
  ])('a value may complete the address %s with %j', async (url, v, expected) => {
    const { trace } = await traceNode('http', { curl: `curl ${url}` }, { inputs: { start: { v } } });
    expect(trace.requests[0]?.url).toBe(expected);
  });

  test('a value in the path stays there', async () => {
    expect((await sent('curl https://api.example/$input.path')).url).toBe(
      'https://api.example/@evil.example/',
    );
  });

  test('spaces and quotes of a value are percent-encoded', async () => {
    expect((await sent('curl "https://a.example/?q=$input.text"')).url).toBe(
      'https://a.example/?q=quote%20%22%20and%20%27%20and%20space',
    );
  });

  test('a user in the address becomes an Authorization header', async () => {
    const request = await sent('curl https://user:p%40ss@a.example/');
    expect(request.url).toBe('https://a.example/');
    expect(Object.fromEntries(request.headers)).toEqual({ Authorization: 'Basic dXNlcjpwQHNz' });
  });
});

describe('the body', () => {
  test('has the content type of a form unless the command names one', async () => {
    expect(await headers('curl -d a=b https://a.example')).toEqual({
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect(await headers('curl -d "{}" -H "content-type: text/x" https://a.example')).toEqual({
      'content-type': 'text/x',
    });
    expect(await headers('curl --json "{}" https://a.example')).toEqual({
      'Content-Type': 'application/json',
      Accept: 'application/json',
    });
  });

  test.each([
    ['-d a=1 -d b=2', 'a=1&b=2'],
    ['--data-raw @literal', '@literal'],
    ['-d $input.object', '{"a": "b"}'],
    ['--data-urlencode "q=$input.text"', "q=quote%20%22%20and%20'%20and%20space"],
    ['--data-urlencode "q=$input.form"', 'q=a%26admin%3D1'],
    ['--data-urlencode $input.form', 'a%26admin%3D1'],
    ['--data-urlencode "=a b"', 'a%20b'],
    ["-d '$input.missing'", '$input.missing'],
  ])('%s sends %s', async (option, expected) => {
    expect(await body(`curl ${option} https://a.example`)).toBe(expected);
  });

  test.each([
    [`{"t": "$input.text"}`, { t: `quote " and ' and space` }],
    [`{"t": "$input.escape"}`, { t: '", "admin": true, "x": "' }],
    [`{"t": $input.escape}`, { t: '", "admin": true, "x": "' }],
    [`{"o": $input.object, "l": $input.list, "n": $input.id}`, { o: { a: 'b' }, l: ['x', 'y'], n: 7 }],
    [`{"y": $input.yes, "z": $input.none, "d": $input.digits}`, { y: true, z: null, d: 5 }],
    [`{"o": "$input.object"}`, { o: '{"a": "b"}' }],
    [`{"e": $input.text.escape()}`, { e: `quote " and ' and space` }],
    [`[ "a\\"$input.id", "$input.id" ]`, ['a"7', '7']],
  ])('values cannot change the JSON around them: %s', async (json, expected) => {
    const sentBody = await body(`curl -d '${json}' https://a.example`);
    expect(JSON.parse(String(sentBody))).toEqual(expected);
  });

  test('a text outside of quotes is a JSON text where the request names JSON, unless it was escaped', async () => {
    const json = '{"d": $input.digits, "n": $input.id, "e": $input.text.escape(), "l": $input.list}';
    const expected = { d: '5', n: 7, e: `quote " and ' and space`, l: ['x', 'y'] };
    for (const option of [
      `-H 'content-type: Application/JSON; charset=utf-8' -d '${json}'`,
      `--json '${json}'`,
    ]) {
      expect(JSON.parse(String(await body(`curl ${option} https://a.example`)))).toEqual(expected);
    }
  });

  test('what a value holds is not evaluated again', async () => {
    const situation = { inputs: { start: { text: '$credentials.secret $input.id', id: 1 } } };
    const { trace } = await traceNode('http', { curl: 'curl -d "$input.text" https://a.example' }, situation);
    expect(trace.requests[0]?.body).toBe('$credentials.secret $input.id');
  });

  test('a form with fields is multipart', async () => {
    const request = await sent(
      `curl -F "a=$input.text" -F 'b=x;type=text/csv;filename=f".csv' https://a.example`,
    );
    const type = Object.fromEntries(request.headers)['Content-Type'] ?? '';
    const boundary = /boundary=(.+)$/.exec(type)?.[1];
    expect(String(request.body).split('\r\n')).toEqual([
      `--${boundary}`,
      'Content-Disposition: form-data; name="a"',
      '',
      `quote " and ' and space`,
      `--${boundary}`,
      'Content-Disposition: form-data; name="b"; filename="f%22.csv"',
      'Content-Type: text/csv',
      '',
      'x',
      `--${boundary}--`,
      '',
    ]);
  });

  test('the type of a field may have parameters, and its file name expressions', async () => {
    const request = await sent(
      `curl -F 'a=x;type=text/plain; charset=utf-8;filename="for $input.text"' https://a.example`,
    );
    expect(String(request.body).split('\r\n').slice(1, 5)).toEqual([
      'Content-Disposition: form-data; name="a"; filename="for quote %22 and \' and space"',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'x',
    ]);
  });
});

describe('a field of a multipart body', () => {
  const sendField = async (field: string) => {
    const { body } = await sent(`curl -F '${field}' https://a.example`);
    const [, ...lines] = String(body).split('\r\n').slice(0, -2);
    return lines;
  };

  test('in quotes may hold what would begin a modifier', async () => {
    expect(await sendField('a="x;type=y \\"z\\"";type=text/plain')).toEqual([
      'Content-Disposition: form-data; name="a"',
      'Content-Type: text/plain',
      '',
      'x;type=y "z"',
    ]);
    expect(await sendField('a="@x"')).toContain('@x');
    expect(await sendField('a="one" and "two"')).toContain('"one" and "two"');
  });

  test('that an expression brings is content, with its quotes and signs', async () => {
    expect(await sendField('a="$input.text";filename="f;type=x"')).toEqual([
      'Content-Disposition: form-data; name="a"; filename="f;type=x"',
      '',
      'quote " and \' and space',
    ]);
  });
});

describe('the answer', () => {
  const output = async (answer: Situation['answer']) => {
    const { result } = await traceNode(
      'http',
      { curl: 'curl https://a.example' },
      { inputs, ...(answer && { answer }) },
    );
    return 'output' in result ? (result.output as Record<string, Json>) : undefined;
  };

  test('has status, headers, body and the request', async () => {
    const answer = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"a": 1}' };
    expect(await output(answer)).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: { a: 1 },
      request: { method: 'GET', url: 'https://a.example/', headers: {} },
    });
  });

  test.each([400, 404, 500, 503])('a status of %i is no error', async (status) => {
    expect(await output({ status, body: 'broken' })).toMatchObject({ status, body: 'broken' });
  });

  test.each([
    ['{"a":[1]}', { a: [1] }],
    ['{"id":9007199254740993}', { id: '9007199254740993' }],
    ['plain', 'plain'],
    ['', ''],
    ['<html>', '<html>'],
    ['{broken', '{broken'],
  ])('the body %j becomes %j', async (text, expected) => {
    expect(await output({ body: text })).toMatchObject({ body: expected });
  });

  test('bytes that are no text are base64 and say so', async () => {
    const bytes = Uint8Array.from([0xff, 0xfe, 0x00, 0x01]);
    expect(await output({ body: bytes })).toMatchObject({ body: '//4AAQ==', body_encoding: 'base64' });
    const png = { headers: { 'content-type': 'image/png' }, body: 'text?' };
    expect(await output(png)).toMatchObject({ body: 'dGV4dD8=', body_encoding: 'base64' });
  });

  test('text is decoded by its charset', async () => {
    const headers = { 'content-type': 'text/plain; charset=iso-8859-1' };
    expect(await output({ headers, body: Uint8Array.from([0xe9]) })).toMatchObject({ body: 'é' });
  });

  test('keys that could reach a prototype are dropped', async () => {
    const text = '{"__proto__": {"polluted": 1}, "a": {"constructor": 1, "b": 2}, "\\u005f_proto__": 3}';
    const { body } = (await output({ body: text })) ?? {};
    expect(JSON.stringify(body)).toBe('{"a":{"b":2}}');
  });

  test('JSON that is nested too deeply stays text', async () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(await output({ body: text })).toMatchObject({ body: text });
  });
});

describe('§4 of the durability promise: a repeated request', () => {
  test('carries the key of the node when the author asks for repetition', async () => {
    const request = await sent('curl -X POST https://a.example', { onUnknownOutcome: 'repeat' });
    expect(Object.fromEntries(request.headers)).toEqual({ 'Idempotency-Key': 'run-1:node-1:' });
  });

  test('keeps a key that the author wrote', async () => {
    const request = await sent('curl -X POST -H "idempotency-key: mine" https://a.example', {
      onUnknownOutcome: 'repeat',
    });
    expect(Object.fromEntries(request.headers)).toEqual({ 'idempotency-key': 'mine' });
  });

  test('has no key of ours otherwise', async () => {
    expect(await headers('curl -X POST https://a.example')).toEqual({});
  });
});
