import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { realEgress } from '../../testing/real-egress.ts';
import { serveJson } from '../../testing/servers/json-server.ts';
import { type Caller, type Connection, callJson, type JsonRequest, path } from './call-json.ts';
import { collect, nextLink } from './paging.ts';

const NOW = Date.UTC(2026, 0, 1);

/** A caller whose pauses take no time and are noted. */
function caller(): Caller & { pauses: number[] } {
  const pauses: number[] = [];
  let now = NOW;
  return {
    pauses,
    http: realEgress(),
    now: () => now,
    sleepUntil: (epoch_ms) => {
      pauses.push(epoch_ms - now);
      now = epoch_ms;
      return Promise.resolve();
    },
    signal: new AbortController().signal,
    max_wait_ms: 60_000,
    idempotency_key: 'run-1:node:0',
  };
}

const to = (base_url: string, more: Partial<Connection> = {}): Connection => ({
  title: 'Sample',
  service: { base_url, headers: { authorization: 'Bearer t' } },
  idempotency_header: 'Idempotency-Key',
  ...more,
});
const read = (request: Partial<JsonRequest> = {}): JsonRequest => ({
  path: '/x',
  effect: 'read',
  ...request,
});

async function catchFailure(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof NodeFailure)) throw new Error('expected the call to fail', { cause: error });
  return error.failure;
}

test('a call has the base address, the credential, its query and its JSON', async () => {
  const server = await serveJson(() => ({ body: { ok: 'ü', big: 12 } }));
  const request = read({
    method: 'POST',
    path: path`/docs/${'a b/ü'}/x`,
    query: { limit: 5, sort: '', none: undefined },
    body: { name: 'Zoë' },
    effect: 'idempotent',
  });
  expect(await callJson(caller(), to(`${server.url}/api`), request)).toMatchObject({
    status: 200,
    body: { ok: 'ü', big: 12 },
  });
  expect(server.seen).toMatchObject([
    {
      method: 'POST',
      path: '/api/docs/a%20b%2F%C3%BC/x',
      query: { limit: '5' },
      headers: { authorization: 'Bearer t', 'idempotency-key': 'run-1:node:0' },
      body: { name: 'Zoë' },
    },
  ]);
});

test.each(['..', '.', '', ' '])('"%s" cannot be a part of a path', (value) => {
  expect(() => path`/docs/${value}/x`).toThrow('cannot be part of an address');
});

test.each([
  ['429 with seconds', { status: 429, headers: { 'retry-after': '3' } }, 3_000],
  [
    '429 with a date',
    { status: 429, headers: { 'retry-after': new Date(NOW + 9_000).toUTCString() } },
    9_000,
  ],
  ['429 that does not say', { status: 429 }, 2_000],
  [
    '403 without calls left',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 7) } },
    7_000,
  ],
])('%s is waited for, even by an unsafe call', async (_title, limited, pause) => {
  let calls = 0;
  const server = await serveJson(() => (calls++ === 0 ? limited : { body: {} }));
  const asked = caller();
  await callJson(asked, to(server.url), read({ method: 'POST', effect: 'unsafe' }));
  expect([asked.pauses, server.seen.length]).toEqual([[pause], 2]);
});

test('a limit of more than a minute fails and says when to try again', async () => {
  const server = await serveJson(() => ({ status: 429, headers: { 'retry-after': '600' } }));
  const asked = caller();
  expect(await catchFailure(callJson(asked, to(server.url), read()))).toMatchObject({
    kind: 'upstream',
    message: 'Sample is rate limiting this key; try again in 600 s',
  });
  expect([asked.pauses, server.seen.length]).toEqual([[], 1]);
});

test('a limit that never frees ends', async () => {
  const server = await serveJson(() => ({ status: 429, headers: { 'retry-after': '1' } }));
  await catchFailure(callJson(caller(), to(server.url), read()));
  expect(server.seen).toHaveLength(4);
});

test.each([
  ['read', 503, 4],
  ['idempotent', 502, 4],
  ['unsafe', 503, 1],
  ['read', 500, 1],
] as const)('a call of effect %s that meets a %i is sent %i times', async (effect, status, times) => {
  const server = await serveJson(() => ({ status, body: { error: 'down' } }));
  expect(await catchFailure(callJson(caller(), to(server.url), read({ effect })))).toMatchObject({
    message: `Sample reported a server error (status ${status}): down`,
    details: { status },
  });
  expect(server.seen).toHaveLength(times);
});

test('an unsafe call is not sent again for a 503 that names a pause', async () => {
  const server = await serveJson(() => ({ status: 503, headers: { 'retry-after': '1' } }));
  await catchFailure(callJson(caller(), to(server.url), read({ effect: 'unsafe' })));
  expect(server.seen).toHaveLength(1);
});

test.each([
  [
    401,
    { message: 'Bad credentials' },
    'Sample refused the credential; test it on the credentials page: Bad credentials',
  ],
  [
    403,
    { error: { message: 'no access' } },
    'Sample does not allow this with the chosen credential: no access',
  ],
  [404, '<html>gone</html>', 'Sample did not find it (status 404)'],
  [
    422,
    { errors: [{ message: 'title is missing' }] },
    'Sample rejected the request (status 422): title is missing',
  ],
  [
    422,
    {
      message: 'Validation Failed',
      errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }, { message: 'No commits' }],
    },
    'Sample rejected the request (status 422): Validation Failed (title: missing_field; No commits)',
  ],
  [
    400,
    { errorMessages: [], errors: { summary: 'You must specify a summary.' } },
    'Sample rejected the request (status 400): summary: You must specify a summary.',
  ],
  [409, {}, 'Sample reports a conflict with what is there (status 409)'],
  [302, {}, 'Sample answered with status 302'],
])('%i is told in plain words', async (status, body, message) => {
  const server = await serveJson(() => ({ status, body, headers: { location: 'http://127.0.0.1:1/' } }));
  expect(await catchFailure(callJson(caller(), to(server.url), read()))).toMatchObject({ message });
});

test('a refused token is renewed once, even for an unsafe call', async () => {
  const server = await serveJson(({ headers }) =>
    headers['authorization'] === 'Bearer new' ? { body: { ok: true } } : { status: 401 },
  );
  let renewals = 0;
  const renew = (token: string) => () => {
    renewals += 1;
    return Promise.resolve({ base_url: server.url, headers: { authorization: `Bearer ${token}` } });
  };
  const unsafe = read({ method: 'POST', effect: 'unsafe' });
  expect(await callJson(caller(), to(server.url, { renew: renew('new') }), unsafe)).toMatchObject({
    status: 200,
  });
  expect(
    await catchFailure(callJson(caller(), to(server.url, { renew: renew('also old') }), unsafe)),
  ).toMatchObject({
    kind: 'credential',
  });
  expect([renewals, server.seen.length]).toEqual([2, 4]);
});

test('only a refused credential is final', async () => {
  const server = await serveJson(() => ({ status: 401 }));
  expect(await catchFailure(callJson(caller(), to(server.url), read()))).toMatchObject({
    kind: 'credential',
    final: true,
    field: 'credentialId',
  });
});

test('an error inside a good answer fails', async () => {
  const server = await serveJson(() => ({ body: { ok: false } }));
  const problem = () => 'channel_not_found';
  expect(await catchFailure(callJson(caller(), to(server.url, { problem }), read()))).toMatchObject({
    message: 'Sample: channel_not_found',
  });
});

test('a status that the caller accepts is an answer', async () => {
  const server = await serveJson(() => ({ status: 404 }));
  expect(await callJson(caller(), to(server.url), read({ accepts: [404] }))).toMatchObject({ status: 404 });
});

test('pages are gathered up to the number that is asked for', async () => {
  const server = await serveJson(({ query }) => {
    const page = Number(query['page'] ?? '1');
    const link = `<http://elsewhere.example/x>; rel="first", <${server.url}/x?page=${page + 1}>; rel="next"`;
    return { body: [page * 2 - 1, page * 2], headers: page < 3 ? { link } : {} };
  });
  const load = async (next = '/x') => {
    const answer = await callJson(caller(), to(server.url), read({ path: next }));
    return { items: answer.body as number[], next: nextLink(answer, server.url) };
  };
  expect(await collect(load, 100)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await collect(load, 3)).toEqual([1, 2, 3]);
});

test('a next page at another place is not followed, and a list that never ends fails', async () => {
  const elsewhere = { headers: { link: '<https://evil.example/x>; rel="next"' } };
  expect(nextLink(elsewhere, 'https://api.example')).toBeUndefined();
  expect(
    nextLink({ headers: { link: '<https://api.example.evil/x>; rel="next"' } }, 'https://api.example'),
  ).toBeUndefined();
  const same = () => Promise.resolve({ items: [1], next: 'again' });
  expect(await catchFailure(collect(same, 100))).toMatchObject({
    message: expect.stringContaining('does not end'),
  });
});
