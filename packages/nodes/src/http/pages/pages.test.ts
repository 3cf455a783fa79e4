import type { Json, JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import type { EgressRequest } from '../../services.ts';
import { TEST_NOW, traceNode } from '../../testing/run-node.ts';

type Answer = { status?: number; headers?: Record<string, string>; body: Json };

const readSent = ({ body }: EgressRequest): string => (typeof body === 'string' ? body : '');

/** Runs the node against a server that is one function, and gives what came out and which requests were sent. */
async function read(data: JsonObject, answer: (url: URL, request: EgressRequest) => Answer) {
  const { result, trace } = await traceNode(
    'http',
    { curl: 'curl https://api.example.com/orders?page=1', ...data },
    {
      answer: (request) => {
        const { body, ...rest } = answer(new URL(request.url), request);
        return { ...rest, body: JSON.stringify(body) };
      },
    },
  );
  const sent = trace.requests.map(({ url }) => url.replace('https://api.example.com', ''));
  if ('failure' in result) return { failure: result.failure, sent, trace };
  return { output: 'output' in result ? (result.output as JsonObject) : {}, sent, trace };
}

const ORDERS = ['a', 'b', 'c', 'd', 'e'];
const from = (start: number, size = 2) => ORDERS.slice(start, start + size);

describe('a page number', () => {
  const byPage = (url: URL): Answer => ({
    body: { data: from((Number(url.searchParams.get('page')) - 1) * 2) },
  });
  const data = { pagination: 'page', paginationParameter: 'page', paginationItems: 'data' };

  test('counts up until a page is empty, and the entries become one list', async () => {
    const { output, sent } = await read(data, byPage);
    expect(output).toMatchObject({ status: 200, body: ORDERS, pages: 4, has_more: false });
    expect(output?.['request']).toMatchObject({ url: 'https://api.example.com/orders?page=1' });
    expect(sent).toEqual(['/orders?page=1', '/orders?page=2', '/orders?page=3', '/orders?page=4']);
  });

  test('begins where the request does, and keeps how other parameters are written', async () => {
    const curl = "curl 'https://api.example.com/orders?q=a+b%20c&page=2&x=1'";
    const { sent } = await read({ ...data, curl }, byPage);
    expect(sent).toEqual([
      '/orders?q=a+b%20c&page=2&x=1',
      '/orders?q=a+b%20c&x=1&page=3',
      '/orders?q=a+b%20c&x=1&page=4',
    ]);
  });

  test('ends at a status that the node names, and fails at any other', async () => {
    const refuses = (status: number) => (url: URL) =>
      url.searchParams.get('page') === '3' ? { status, body: { message: 'no page 3' } } : byPage(url);
    expect((await read(data, refuses(404))).output).toMatchObject({
      status: 200,
      body: from(0, 4),
      pages: 2,
      has_more: false,
    });
    const { failure } = await read(data, refuses(500));
    expect(failure?.message).toContain('no page 3');
    const { output } = await read({ ...data, paginationEnd: '400, 416' }, refuses(416));
    expect(output).toMatchObject({ body: from(0, 4) });
  });

  test('stops at the most pages, and says that there are more', async () => {
    const { output, sent } = await read({ ...data, paginationLimit: 2 }, byPage);
    expect(output).toMatchObject({ body: from(0, 4), pages: 2, has_more: true });
    expect(sent).toHaveLength(2);
  });

  test('must be in the request: where a server begins to count is not guessed', async () => {
    const { failure, sent } = await read({ ...data, curl: 'curl https://api.example.com/orders' }, byPage);
    expect(failure).toMatchObject({ kind: 'params', field: 'paginationParameter' });
    expect(failure?.message).toContain('the address has no "page"');
    expect(sent).toHaveLength(1);
  });

  test('that the server ignores ends with a failure instead of the same entries for ever', async () => {
    const { failure, sent } = await read(data, () => ({ body: { data: from(0) } }));
    expect(failure?.message).toContain('the server answers with the same page for each "page"');
    expect(sent).toHaveLength(3);
  });

  test('ends at a last page that the server repeats for each number behind it', async () => {
    const { output, sent } = await read(data, (url) => ({
      body: { data: from((Math.min(Number(url.searchParams.get('page')), 3) - 1) * 2) },
    }));
    expect(output).toMatchObject({ body: ORDERS, pages: 3, has_more: false });
    expect(sent).toHaveLength(5);
  });

  test('keeps two pages that happen to be the same', async () => {
    const pages: Json[] = [5, 0, 0, 7];
    const byNumber = (url: URL): Answer => ({
      body: { data: pages.slice(Number(url.searchParams.get('page')) - 1).slice(0, 1) },
    });
    expect((await read(data, byNumber)).output).toMatchObject({ body: pages, has_more: false });
    const { output } = await read({ ...data, paginationLimit: 3 }, byNumber);
    expect(output).toMatchObject({ body: [5, 0, 0], has_more: true });
  });

  test.each([302, 304])('fails at a page that is no answer: %i', async (status) => {
    const { failure } = await read(data, (url) =>
      url.searchParams.get('page') === '2' ? { status, body: null } : byPage(url),
    );
    expect(failure?.message).toContain(String(status));
  });

  test('without the list of the response fails, with the fields that there are', async () => {
    const { failure } = await read({ ...data, paginationItems: '' }, () => ({
      body: { data: [1], total: 1 },
    }));
    expect(failure).toMatchObject({ kind: 'params', field: 'paginationItems' });
    expect(failure?.message).toContain('the response has data, total');
  });
});

describe('a list that is not where the node looks', () => {
  const data = { pagination: 'link', paginationItems: 'data.items' };
  test.each<[string, Json, string]>([
    [
      'another list is there',
      { data: { orders: [1], total: 1 } },
      '"data.items" is no list; the response has data',
    ],
    [
      'the response is a report of errors',
      { errors: [{ message: 'x' }], data: null },
      'the response has errors, data',
    ],
  ])('fails the node: %s', async (_, body, words) => {
    const { failure } = await read(data, () => ({ body }));
    expect(failure).toMatchObject({ kind: 'params', field: 'paginationItems' });
    expect(failure?.message).toContain(words);
  });

  test('fails the node where a later page is a text, as of a server that is out of order', async () => {
    const { failure } = await read({ pagination: 'link' }, (url) =>
      url.searchParams.has('p')
        ? { body: 'Down for maintenance' }
        : { headers: { link: '<?p=2>; rel="next"' }, body: [1] },
    );
    expect(failure?.message).toContain('the response is no object of JSON');
  });

  test.each<[string, Json]>([
    ['left out, as some services do', { data: { total: 0 } }],
    ['null', { data: { items: null } }],
    ['that of an empty response', ''],
  ])('is empty where it is %s', async (_, body) => {
    expect((await read(data, () => ({ body }))).output).toMatchObject({ body: [], pages: 1 });
  });

  test('may have a dot in its name', async () => {
    const { output } = await read(data, () => ({ body: { 'data.items': [1] } }));
    expect(output).toMatchObject({ body: [1] });
  });
});

test('an offset counts up by the entries of each page', async () => {
  const curl = 'curl "https://api.example.com/orders?offset=0&limit=2"';
  const { output, sent } = await read(
    { curl, pagination: 'offset', paginationParameter: 'offset' },
    (url) => ({
      body: from(Number(url.searchParams.get('offset'))),
    }),
  );
  expect(output).toMatchObject({ body: ORDERS, pages: 4 });
  expect(sent.map((url) => new URL(url, 'https://a').searchParams.get('offset'))).toEqual([
    '0',
    '2',
    '4',
    '5',
  ]);
});

test('an offset counts up by a step where the node has one, also if a page has fewer entries', async () => {
  const curl = 'curl "https://api.example.com/orders?offset=0"';
  const pages: Record<string, Json[]> = { 0: ['a'], 10: ['b', 'c'] };
  const { output, sent } = await read(
    { curl, pagination: 'offset', paginationParameter: 'offset', paginationStep: 10 },
    (url) => ({ body: pages[url.searchParams.get('offset') ?? ''] ?? [] }),
  );
  expect(output).toMatchObject({ body: ['a', 'b', 'c'] });
  expect(sent.map((url) => new URL(url, 'https://a').searchParams.get('offset'))).toEqual(['0', '10', '20']);
});

describe('a value of the response', () => {
  const TOKENS: Record<string, Answer> = {
    '': { body: { items: from(0), cursor: 't 1' } },
    't 1': { body: { items: from(2), cursor: 't2' } },
    t2: { body: { items: from(4), cursor: null } },
  };
  const data = {
    curl: 'curl https://api.example.com/orders',
    pagination: 'token',
    paginationParameter: 'after',
    paginationNext: 'cursor',
    paginationItems: 'items',
  };

  test('is sent in the address until there is none', async () => {
    const { output, sent } = await read(data, (url) => TOKENS[url.searchParams.get('after') ?? ''] as Answer);
    expect(output).toMatchObject({ body: ORDERS, pages: 3, has_more: false });
    expect(sent).toEqual(['/orders', '/orders?after=t%201', '/orders?after=t2']);
  });

  test.each([
    [
      'JSON, within an object',
      `curl https://api.example.com/orders --json '{"variables":{"first":2}}'`,
      'variables.after',
      [
        '{"variables":{"first":2}}',
        '{"variables":{"first":2,"after":"t 1"}}',
        '{"variables":{"first":2,"after":"t2"}}',
      ],
    ],
    [
      'a form',
      'curl https://api.example.com/orders -d first=2',
      'after',
      ['first=2', 'first=2&after=t+1', 'first=2&after=t2'],
    ],
  ])('is sent in a body that is %s', async (_, curl, paginationParameter, bodies) => {
    const bodyTokens = (body: string) => (/t[ +]1/.exec(body) ? 't 1' : body.includes('t2') ? 't2' : '');
    const { output, trace } = await read(
      { ...data, curl, paginationParameter, paginationIn: 'body' },
      (_url, request) => TOKENS[bodyTokens(readSent(request))] as Answer,
    );
    expect(output).toMatchObject({ body: ORDERS });
    expect(trace.requests.map(readSent)).toEqual(bodies);
  });

  test('that is 0 or no text is the end, or sent as well-formed text', async () => {
    expect((await read(data, () => ({ body: { items: [1], cursor: 0 } }))).output).toMatchObject({
      pages: 1,
    });
    const { sent } = await read(data, (url) => ({
      body: { items: [1], cursor: url.searchParams.has('after') ? null : '\ud800' },
    }));
    expect(sent[1]).toBe('/orders?after=%EF%BF%BD');
  });

  test('leaves other fields of a body as they are, or is refused', async () => {
    const answer = (_url: URL, request: EgressRequest) =>
      TOKENS[readSent(request).includes('t 1') ? 't2' : ''] as Answer;
    const body = (fields: string) => ({
      ...data,
      curl: `curl https://api.example.com/orders --json '${fields}'`,
      paginationIn: 'body',
    });
    const { trace } = await read(body('{"constructor":"ferrari","price":1.5}'), (url, request) =>
      readSent(request).includes('after') ? { body: { items: [] } } : answer(url, request),
    );
    expect(readSent(trace.requests[1] as EgressRequest)).toBe(
      '{"constructor":"ferrari","price":1.5,"after":"t 1"}',
    );
    const { failure } = await read(body('{"id":12345678901234567890}'), answer);
    expect(failure).toMatchObject({ kind: 'params', field: 'paginationIn' });
  });

  test('that does not change ends with a failure', async () => {
    const { failure, sent } = await read(data, () => ({ body: { items: [1], cursor: 'same' } }));
    expect(failure?.message).toContain('the list does not end');
    expect(sent).toHaveLength(2);
  });

  test('whole responses become the list where that is wanted', async () => {
    const { output } = await read(
      { ...data, paginationOutput: 'pages' },
      (url) => TOKENS[url.searchParams.get('after') ?? ''] as Answer,
    );
    expect(output?.['body']).toEqual(Object.values(TOKENS).map(({ body }) => body));
  });
});

describe('an address', () => {
  const linked = (next: string) => (url: URL) =>
    url.searchParams.has('p') ? { body: from(2) } : { headers: { link: next }, body: from(0) };

  test.each([
    ['https://api.example.com/orders?p=2'],
    // A service behind a proxy.
    ['http://api.example.com/orders?p=2'],
    ['/orders?p=2'],
    ['?p=2'],
  ])('of a Link header is followed: %s', async (address) => {
    const { output, sent } = await read(
      { pagination: 'link' },
      linked(`<${address}>; rel="next", </x>; rel="last"`),
    );
    expect(output).toMatchObject({ body: from(0, 4), pages: 2, has_more: false });
    expect(sent[1]).toBe('/orders?p=2');
  });

  test('in a field of the response is followed', async () => {
    const { output } = await read({ pagination: 'next', paginationNext: 'links.next' }, (url) =>
      url.searchParams.has('p')
        ? { body: { id: 2, links: {} } }
        : { body: { id: 1, links: { next: '?p=2' } } },
    );
    expect(output?.['body']).toEqual([
      { id: 1, links: { next: '?p=2' } },
      { id: 2, links: {} },
    ]);
  });

  test('of a Link header is the one with the relation next, also among others', async () => {
    const header = '</orders?p=7>; rel="next-chapter", </orders?p=2>; title="a"; rel="last next"';
    expect((await read({ pagination: 'link' }, linked(header))).sent[1]).toBe('/orders?p=2');
  });

  test.each([
    'https://evil.example/orders?p=2',
    '//evil.example/p',
    'https://api.example.com:8443/?p=2',
    'file:///etc/passwd',
  ])('of another place gets no request with the credentials: %s', async (address) => {
    const { failure, sent } = await read({ pagination: 'link' }, linked(`<${address}>; rel="next"`));
    expect(failure?.message).toContain('is not sent');
    expect(sent).toHaveLength(1);
  });
});

test('an address with TLS is followed from one without, where services lead to it', async () => {
  const curl = 'curl -L http://api.example.com/orders';
  const { output, sent } = await read({ curl, pagination: 'link' }, (url) =>
    url.searchParams.has('p')
      ? { body: ['b'] }
      : { headers: { link: '<https://api.example.com/orders?p=2>; rel="next"' }, body: ['a'] },
  );
  expect(output?.['body']).toEqual(['a', 'b']);
  expect(sent[1]).toBe('/orders?p=2');
});

test('a first page that is refused is an answer like that of one request, or a failure where the node says so', async () => {
  const refuse = () => ({ status: 403, body: { message: 'not yours' } });
  const data = { pagination: 'link' };
  expect((await read(data, refuse)).output).toMatchObject({ status: 403, body: { message: 'not yours' } });
  expect((await read({ ...data, failOnErrorStatus: true }, refuse)).failure?.message).toContain('not yours');
});

describe('a page that the server limits', () => {
  const data = { pagination: 'page', paginationParameter: 'page' };
  /** Refuses page 2 some times. */
  const limiting = (status: number, times: number, seconds: string) => {
    let refused = 0;
    return (url: URL): Answer => {
      if (url.searchParams.get('page') === '2' && refused++ < times)
        return { status, headers: { 'retry-after': seconds }, body: {} };
      return { body: url.searchParams.get('page') === '1' ? ['a'] : [] };
    };
  };

  test('is asked for again after the pause that it names', async () => {
    const { output, sent, trace } = await read(data, limiting(429, 1, '3'));
    expect(output).toMatchObject({ body: ['a'], pages: 2 });
    expect(sent).toEqual(['/orders?page=1', '/orders?page=2', '/orders?page=2']);
    expect(trace.slept_until).toEqual([TEST_NOW + 3_000]);
  });

  test.each([
    ['it asks for longer than a minute', 1, '61', 2],
    ['it does so too often', 9, '1', 5],
  ])('fails the node when %s', async (_, times, seconds, requests) => {
    const { failure, sent } = await read(data, limiting(429, times, seconds));
    expect(failure?.message).toContain('rate limiting');
    expect(sent).toHaveLength(requests);
  });

  test('with a 503 is asked for again only where the request may be repeated', async () => {
    expect((await read(data, limiting(503, 1, '1'))).output).toMatchObject({ pages: 2 });
    const post = { ...data, curl: 'curl -X POST "https://api.example.com/orders?page=1"' };
    const { failure, sent } = await read(post, limiting(503, 1, '1'));
    expect(failure?.message).toContain('503');
    expect(sent).toHaveLength(2);
  });

  test('is asked for after the pause of the node, which is between pages only', async () => {
    const { trace } = await read({ ...data, paginationPause: 2 }, limiting(429, 0, ''));
    expect(trace.slept_until).toEqual([TEST_NOW + 2_000]);
  });
});

test('each page of requests that may be repeated has a key of its own', async () => {
  const curl = `curl https://api.example.com/search --json '{"page":1}'`;
  const { trace } = await read(
    {
      curl,
      pagination: 'page',
      paginationParameter: 'page',
      paginationIn: 'body',
      onUnknownOutcome: 'repeat',
    },
    (_url, request) => ({ body: readSent(request).includes('1') ? ['a'] : [] }),
  );
  const keys = trace.requests.map(({ headers }) => Object.fromEntries(headers)['Idempotency-Key']);
  expect(new Set(keys).size).toBe(2);
});

test('bodies together are as limited as one is', async () => {
  const large = 'x'.repeat(20_000_000);
  const { failure } = await read({ pagination: 'page', paginationParameter: 'page' }, (url) => ({
    body: [large, url.search],
  }));
  expect(failure?.message).toContain('the first 3 pages are larger than 50 MB together');
});

test('requests that send a file have no pages, since the file is read only once', async () => {
  const { result, trace } = await traceNode(
    'http',
    { curl: 'curl -F doc=@$start https://api.example.com/', pagination: 'link' },
    { inputs: { start: { filename: 'a.txt', content: 'x' } } },
  );
  expect('failure' in result && result.failure.field).toBe('pagination');
  expect(trace.requests).toEqual([]);
});
