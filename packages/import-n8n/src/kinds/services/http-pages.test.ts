import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { EgressRequest } from '@millrace/nodes/runtime';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../../testing/converted.ts';

const request = (pagination: JsonObject, more: JsonObject = {}): JsonObject => ({
  url: 'https://api.example.com/orders',
  options: { pagination: { pagination }, ...more },
});
const changing = (name: string, value: string, type = 'qs'): JsonObject => ({
  parameters: { parameters: [{ type, name, value }] },
});
const ends = (completeExpression: string): JsonObject => ({
  paginationCompleteWhen: 'other',
  completeExpression,
});

const convertRequest = (parameters: JsonObject) => one(base('httpRequest'), 4.2, parameters);

/** Runs the converted node against a server that is one function of the query. */
async function run(parameters: JsonObject, answer: (query: URLSearchParams) => Json) {
  const { type, settings, lines } = convertRequest(parameters);
  const sent: string[] = [];
  const result = await runNode(type, settings, {
    inputs: { Before: {} },
    services: {
      http: {
        request: ({ url }: EgressRequest) => {
          sent.push(new URL(url).search);
          return Promise.resolve({
            status: 200,
            headers: { 'content-type': 'application/json' },
            url,
            body: bytes(JSON.stringify(answer(new URL(url).searchParams))),
          });
        },
        connect: () => Promise.reject(new Error('no connection')),
        resolveAddresses: () => Promise.resolve([]),
      },
    },
  });
  if (!('output' in result)) throw new Error('failure' in result ? result.failure.message : 'it waits');
  return { body: isJsonObject(result.output) ? result.output['body'] : undefined, sent, lines };
}

async function* bytes(text: string) {
  yield await Promise.resolve(Buffer.from(text));
}

describe('pages of a request are read as n8n reads them', () => {
  it('by a number, until the response is empty', async () => {
    const { body, sent } = await run(request(changing('page', '={{ $pageCount + 1 }}')), (query) =>
      query.get('page') === '3' ? [] : [{ page: query.get('page') }],
    );
    expect(body).toEqual([{ page: '1' }, { page: '2' }]);
    expect(sent).toEqual(['?page=1', '?page=2', '?page=3']);
  });

  it.each([
    '={{ $response.body.results.length === 0 }}',
    '={{ $response.body.results.length == 0 }}',
    '={{ !$response.body.results.length }}',
    '={{ $response.body["results"].isEmpty() }}',
    '={{ $response.body?.results?.length < 1 }}',
  ])('by a number, until the list inside is empty: %s', async (expression) => {
    const { body, sent } = await run(
      request({ ...changing('skip', '={{ $pageCount * 2 }}'), ...ends(expression) }),
      (query) => ({
        results: query.get('skip') === '4' ? [] : ['a', 'b'].map((one) => one + (query.get('skip') ?? '')),
      }),
    );
    // The responses become items, as in n8n; their lists are split by a node behind.
    expect(body).toEqual([{ results: ['a0', 'b0'] }, { results: ['a2', 'b2'] }]);
    expect(sent).toEqual(['?skip=0', '?skip=2', '?skip=4']);
  });

  it('by a number, where n8n ends at a short page, with a line that says so', async () => {
    const short = ends('={{ $response.body.results.length < 100 }}');
    const { sent, lines } = await run(
      request({ ...changing('page', '={{ $pageCount + 1 }}'), ...short }),
      (query) => ({
        results: query.get('page') === '1' ? ['a'] : [],
      }),
    );
    expect(sent).toEqual(['?page=1', '?page=2']);
    expect(lines.join('\n')).toContain('one request more');
  });

  it.each(['https://a.example/?page=5', '={{ $json?.base }}/x?page=5', 'https://a.example/?a=1&p%61ge=5'])(
    'not where the address has the number already: %s',
    (url) => {
      const { type, lines } = convertRequest({ ...request(changing('page', '={{ $pageCount }}')), url });
      expect(type).not.toBe('http');
      expect(lines.join()).toContain('its address has a parameter "page" already');
    },
  );

  it('as a list for the nodes behind', () => {
    const get = {
      name: 'Get',
      type: base('httpRequest'),
      typeVersion: 4.2,
      parameters: request(changing('page', '={{ $pageCount }}')),
    };
    const set = {
      name: 'Edit',
      type: base('set'),
      typeVersion: 3.4,
      parameters: {
        assignments: { assignments: [{ name: 'id', value: '={{ $json.id }}', type: 'string' }] },
      },
    };
    const start = { name: 'Start', type: base('manualTrigger'), typeVersion: 1, parameters: {} };
    const lead = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
    const { warnings, node } = convert({
      nodes: [start, get, set],
      connections: { Start: lead('Get'), Get: lead('Edit') },
    });
    expect(warnings.map(({ message }) => message).join()).not.toContain(
      'When the answer before it is a list',
    );
    expect(node('Edit')?.data['mappings']).toEqual([
      { key: 'items', value: '$Get.body.map("{\\"id\\": item.id.toString()}")' },
    ]);
  });

  it('by a value of the response', async () => {
    const { body, sent } = await run(
      request({
        ...changing('cursor', '={{ $response.body.meta.next_cursor }}'),
        ...ends('={{ !$response.body.meta.next_cursor }}'),
      }),
      (query) => ({ id: query.get('cursor'), meta: query.has('cursor') ? {} : { next_cursor: 'c2' } }),
    );
    expect(body).toEqual([
      { id: null, meta: { next_cursor: 'c2' } },
      { id: 'c2', meta: {} },
    ]);
    expect(sent).toEqual(['', '?cursor=c2']);
  });

  it('by an address in the response', async () => {
    const { sent } = await run(
      request({ paginationMode: 'responseContainsNextURL', nextURL: '={{ $response.body["next"] }}' }),
      (query) => ({ next: query.has('p') ? null : 'https://api.example.com/orders?p=2' }),
    );
    expect(sent).toEqual(['', '?p=2']);
  });
});

describe('settings of pages', () => {
  const settings = (pagination: JsonObject) => convertRequest(request(pagination)).settings;

  it('have the same meaning here', () => {
    const counted = changing('page', '={{$pageCount}}');
    expect(
      settings({
        ...counted,
        paginationCompleteWhen: 'receiveSpecificStatusCodes',
        statusCodesWhenComplete: '400,404',
        limitPagesFetched: true,
        maxRequests: 7,
        requestInterval: 250,
      }),
    ).toMatchObject({
      pagination: 'page',
      paginationEnd: '400,404',
      paginationLimit: 7,
      paginationPause: 0.25,
    });
    expect(settings(counted)).toMatchObject({ paginationLimit: 10_000 });
    const nextURL = '={{ $response.headers.link.match(/<([^>]+)>;\\s*rel="next"/)?.[1] }}';
    expect(settings({ paginationMode: 'responseContainsNextURL', nextURL })).toMatchObject({
      pagination: 'link',
    });
    expect(settings({ paginationMode: 'off' })['pagination']).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['a header that changes', changing('x-page', '={{ $pageCount }}', 'headers')],
    ['a value that is calculated', changing('page', '={{ $json.start + $pageCount }}')],
    [
      'two parameters',
      {
        parameters: {
          parameters: [
            { name: 'a', value: '={{ $pageCount }}' },
            { name: 'b', value: 'x' },
          ],
        },
      },
    ],
    [
      'an end that is calculated',
      { ...changing('page', '={{ $pageCount }}'), ...ends('={{ $pageCount > 3 }}') },
    ],
    [
      'an end that is not the missing value',
      {
        ...changing('after', '={{ $response.body.after }}'),
        ...ends('={{ $response.body.has_more === false }}'),
      },
    ],
    // In n8n this ends while there are entries.
    [
      'a length that is a condition',
      { ...changing('page', '={{ $pageCount }}'), ...ends('={{ $response.body.items.length }}') },
    ],
    [
      'an address that is put together',
      { paginationMode: 'responseContainsNextURL', nextURL: '=https://a.example{{ $response.body.next }}' },
    ],
  ])('that the node has not are named: %s', (_, pagination) => {
    const { type, lines } = convertRequest(request(pagination));
    expect(type).not.toBe('http');
    expect(lines.join('\n')).toContain('further pages');
  });
});
