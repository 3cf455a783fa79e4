import { type JsonObject, NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import type { Egress } from '../services.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { flaresolverrCredential } from './credential.ts';

const PAGE = `<!doctype html><html><head><title>Größe</title><style>h1 {}</style></head><body>
  <h1 class="big top">Prices <em>2026</em></h1><script>var x = 1;</script>
  <ul><li><a href="/a?x=1&amp;y=2" title="A">One</a></li><li><a href="/b">Two <!-- no --> &euro;</a></li></ul>
  <p>unclosed</body></html>`;
const SOLVED = {
  status: 'ok',
  message: 'Challenge not detected!',
  solution: { url: 'https://shop.example/x', status: 200, response: PAGE, cookies: [], userAgent: 'u' },
  startTimestamp: 1,
  endTimestamp: 2,
  version: '3.4.0',
};

/** Strict about path, verb and commands, as https://github.com/FlareSolverr/FlareSolverr describes them. */
function flaresolverr({ method, path, headers, body }: SeenRequest): ServerAnswer {
  if (`${method} ${path}` === 'GET /') return { body: { msg: 'FlareSolverr is ready!', version: '3.4.0' } };
  if (path !== '/v1' || headers['content-type'] !== 'application/json') return { status: 404 };
  const { cmd, url, maxTimeout } = body as JsonObject;
  if (cmd !== 'request.get' || typeof maxTimeout !== 'number')
    return { status: 500, body: { status: 'error', message: "Error: Request parameter 'cmd' is invalid." } };
  if (url === 'https://slow.example/')
    return { status: 500, body: { status: 'error', message: 'Error: Timeout after 1.0 seconds.' } };
  return { body: SOLVED };
}

async function run(data: JsonObject, http: Egress = realEgress(), suffix = '/v1') {
  const server = await serveJson(flaresolverr);
  const result = await runNode(
    'crawler',
    { credentialId: 'c', ...data },
    {
      inputs: { start: { text: 'https://shop.example/x', none: '' } },
      services: {
        http,
        credential: (id) =>
          Promise.resolve({
            id,
            name: 'f',
            type: 'flaresolverr',
            values: { flaresolverr_url: server.url + suffix },
          }),
      },
    },
  );
  return { result, seen: server.seen };
}

test.each(['/v1', '', '/'])('a page is read from a server stored with "%s" at its end', async (suffix) => {
  const { result, seen } = await run({}, realEgress(), suffix);
  expect(result).toEqual({ output: { html: PAGE, url: 'https://shop.example/x', status: 200 } });
  expect(seen.map(({ body }) => body)).toEqual([
    { cmd: 'request.get', url: 'https://shop.example/x', maxTimeout: 60_000 },
  ]);
});

test('numbers of exports may be texts', async () => {
  const { seen } = await run({ crawlerWaitSeconds: '2', crawlerMaxTimeout: '5000' });
  expect(seen[0]?.body).toMatchObject({ waitInSeconds: 2, maxTimeout: 5000 });
});

test('elements are told with their text and attributes', async () => {
  const { result } = await run({
    crawlerMode: 'extract',
    crawlerSelectors: [
      { name: 'links', selector: 'li > a', attributes: ['href', 'title'] },
      { selector: 'h1', attribute: 'innerHTML' },
      { name: 'body', selector: 'body', attributes: [] },
      { name: 'none', selector: '.none', attributes: ['x'] },
      { name: 'unfinished', selector: ' ' },
    ],
  });
  expect(result).toMatchObject({
    output: {
      extracted: {
        links: [
          { text: 'One', href: '/a?x=1&y=2', title: 'A' },
          { text: 'Two\n€', href: '/b' },
        ],
        h1: [{ text: 'Prices\n2026', innerHTML: 'Prices <em>2026</em>' }],
        body: [{ text: 'Prices\n2026\nOne\nTwo\n€\nunclosed' }],
        none: [],
      },
    },
  });
  expect(JSON.stringify(result)).not.toContain('"unfinished":');
});

test.each<[JsonObject, string]>([
  [{ crawlerUrl: '$start.none' }, 'crawlerUrl'],
  [{ crawlerUrl: 'file:///etc/passwd' }, 'crawlerUrl'],
  [{ crawlerMode: 'extract', crawlerSelectors: '{}' }, 'crawlerSelectors'],
  [{ crawlerMode: 'extract', crawlerSelectors: '["h1"]' }, 'crawlerSelectors'],
  [
    { crawlerMode: 'extract', crawlerSelectors: '[{"selector": "p", "name": "__proto__"}]' },
    'crawlerSelectors',
  ],
  [{ crawlerMaxTimeout: '1' }, 'crawlerMaxTimeout'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await run(data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test('what is no selector is named', async () => {
  const { result } = await run({ crawlerMode: 'extract', crawlerSelectors: '[{"selector": "p[["}]' });
  expect(result).toMatchObject({
    failure: { kind: 'params', message: expect.stringContaining('"p[[" is not a CSS selector') },
  });
});

test('a private address is refused before the server is asked for it', async () => {
  const asked: string[] = [];
  const guarded: Egress = {
    ...realEgress(),
    resolveAddresses: (host) => {
      asked.push(host);
      return Promise.reject(new NodeFailure({ kind: 'upstream', message: 'private addresses are refused' }));
    },
  };
  const { result, seen } = await run({ crawlerUrl: 'http://169.254.169.254/latest' }, guarded);
  expect(result).toMatchObject({ failure: { message: 'private addresses are refused' } });
  expect(asked).toEqual(['169.254.169.254']);
  expect(seen).toEqual([]);
});

test('a page that was not read is told with the words of the server, and is not asked for again', async () => {
  const { result, seen } = await run({ crawlerUrl: 'https://slow.example/' });
  expect(result).toMatchObject({
    failure: { message: expect.stringContaining('Timeout after 1.0 seconds') },
  });
  expect(seen).toHaveLength(1);
});

test('the connection test asks the server itself, whichever address is stored', () => {
  for (const end of ['', '/', '/v1', '/v1/'])
    expect(flaresolverrCredential.connect?.({ flaresolverr_url: `http://solver:8191${end}` })).toEqual({
      base_url: 'http://solver:8191',
    });
});
