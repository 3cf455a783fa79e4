import { describe, expect, it } from 'vitest';
import { routedEgress } from '../testing/routed-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { runAtService, type TestService } from '../testing/servers/test-service.ts';

const WEB = [
  { title: 'Größe', url: 'https://example.com/1', description: 'About size', snippets: ['Size is …'] },
  { title: 'Two', url: 'https://example.com/2', snippets: ['First words', 'more'] },
  { url: 'https://example.com/3' },
];

const answerWith = ({ query }: SeenRequest): ServerAnswer => ({
  body: { results: { web: WEB.slice(0, Number(query['count'])), news: [{ title: 'N' }] }, metadata: {} },
});

/** With a key at one address, without one at another that refuses keys. */
function api(request: SeenRequest): ServerAnswer {
  const { path, headers, query } = request;
  if (path === '/v1/agents/search')
    return headers['x-api-key'] === undefined
      ? answerWith(request)
      : { status: 403, body: { detail: 'No keys' } };
  if (path !== '/v1/search') return { status: 404 };
  if (headers['x-api-key'] !== 'ydc') return { status: 401, body: { detail: 'Invalid API key' } };
  if (!['off', 'moderate', 'strict'].includes(query['safesearch'] ?? '')) return { status: 422 };
  return answerWith(request);
}

const FOUND = [
  { title: 'Größe', url: 'https://example.com/1', snippet: 'About size' },
  { title: 'Two', url: 'https://example.com/2', snippet: 'First words' },
  { title: '', url: 'https://example.com/3', snippet: '' },
];

describe('with a key', () => {
  const service: TestService = { node: 'youcomSearch', credential: 'youcom', api };
  const search = (data: Record<string, string>, api_key = 'ydc') =>
    runAtService(service, data, { values: (url) => ({ api_key, base_url: url }) });

  it('returns title, address and the best excerpt of each page', async () => {
    const { result, seen } = await search({ query: 'size & shape', safesearch: 'strict' });
    expect(result).toEqual({
      output: {
        results: FOUND,
        query: 'size & shape',
        count: 3,
        total_results: 4,
        has_api_key: true,
        status: 'success',
      },
    });
    expect(seen[0]?.query).toEqual({ query: 'size & shape', count: '10', safesearch: 'strict' });
  });

  it.each([
    ['2', 2, '2'],
    ['0', 3, '20'],
    ['99', 3, '20'],
    ['', 3, '10'],
  ])('count %j', async (count, expected, asked) => {
    const { result, seen } = await search({ query: 'x', count });
    expect(result).toMatchObject({ output: { count: expected } });
    expect(seen[0]?.query['count']).toBe(asked);
  });

  it('fails with the words of the service where the key is wrong', async () => {
    const { result } = await search({ query: 'x' }, 'other');
    expect(result).toMatchObject({ failure: { field: 'credentialId' } });
  });
});

it('asks without a key where no credential is chosen', async () => {
  const server = await serveJson(api);
  const http = routedEgress({ 'api.you.com': server.url });
  const result = await runNode('youcomSearch', { query: 'x', count: '1' }, { services: { http } });
  expect(result).toMatchObject({ output: { results: FOUND.slice(0, 1), has_api_key: false } });
  expect(server.seen.map(({ path }) => path)).toEqual(['/v1/agents/search']);
});

it('an answer without results is no empty list', async () => {
  const server = await serveJson(() => ({ body: { message: 'maintenance' } }));
  const http = routedEgress({ 'api.you.com': server.url });
  const result = await runNode('youcomSearch', { query: 'x' }, { services: { http } });
  expect(result).toMatchObject({ failure: { kind: 'upstream' } });
});
