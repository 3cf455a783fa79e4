import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { egressTo } from '../testing/real-egress.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { getEffect, runAtService } from '../testing/servers/test-service.ts';

const PAGE = '0a000000-0000-4000-8000-000000000001';
const SOURCE = '0b000000-0000-4000-8000-000000000002';
const DATABASE = '0c000000-0000-4000-8000-000000000003';
const WIDE = '0c000000-0000-4000-8000-000000000004';
const BLOCK = '0d000000-0000-4000-8000-000000000005';

const page = (number: number) => ({
  object: 'page',
  id: `p${number}`,
  properties: { Name: { type: 'title', title: [{ plain_text: 'Plan ' }, { plain_text: `Nr ${number}` }] } },
});
const PAGES = Array.from({ length: 230 }, (_, index) => page(index + 1));

interface Paging {
  page_size?: unknown;
  start_cursor?: unknown;
}

const invalid = (message: string): ServerAnswer => ({
  status: 400,
  body: { object: 'error', status: 400, code: 'validation_error', message },
});

/** A list as https://developers.notion.com/reference/intro#pagination describes it. */
function paginate(all: readonly unknown[], { page_size = 100, start_cursor }: Paging): ServerAnswer {
  const size = Number(page_size);
  if (!(size >= 1 && size <= 100)) return invalid('page_size should be ≤ `100`');
  const start = start_cursor === undefined ? 0 : Number(start_cursor);
  const end = Math.min(start + size, all.length);
  const has_more = end < all.length;
  return {
    body: {
      object: 'list',
      results: all.slice(start, end),
      has_more,
      next_cursor: has_more ? String(end) : null,
    },
  };
}

/** Fields that each body may have, by https://developers.notion.com/reference of version 2026-03-11. */
const BODIES: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/search': ['query', 'filter', 'sort', 'page_size', 'start_cursor'],
  [`POST /v1/data_sources/${SOURCE}/query`]: ['filter', 'sorts', 'page_size', 'start_cursor'],
  'POST /v1/pages': ['parent', 'properties', 'children', 'icon', 'cover'],
  [`PATCH /v1/pages/${PAGE}`]: ['properties', 'icon', 'cover', 'in_trash'],
  'POST /v1/databases': [
    'parent',
    'title',
    'description',
    'initial_data_source',
    'icon',
    'cover',
    'is_inline',
  ],
  [`PATCH /v1/databases/${DATABASE}`]: [
    'parent',
    'title',
    'description',
    'icon',
    'cover',
    'is_inline',
    'in_trash',
  ],
  'POST /v1/data_sources': ['parent', 'properties', 'title', 'icon'],
  [`PATCH /v1/data_sources/${SOURCE}`]: ['parent', 'properties', 'title', 'icon', 'in_trash'],
  [`PATCH /v1/blocks/${BLOCK}`]: ['paragraph', 'to_do', 'in_trash'],
  [`PATCH /v1/blocks/${BLOCK}/children`]: ['children', 'position'],
  [`PATCH /v1/blocks/${PAGE}/children`]: ['children', 'position'],
};

function objectAt(request: string, given: JsonObject): ServerAnswer {
  const id = request.split('/')[3] ?? 'new';
  const added = Array.isArray(given['children']) ? given['children'].length : 0;
  switch (request.replace(/\/[0-9a-f-]{36}/, '/ID')) {
    case 'POST /v1/search':
      return paginate(PAGES, given);
    case 'POST /v1/data_sources/ID/query':
      return paginate(PAGES.slice(0, 3), given);
    case 'GET /v1/databases/ID':
      return {
        body: {
          object: 'database',
          id,
          data_sources: [{ id: SOURCE, name: 'Tasks' }, ...(id === WIDE ? [{ id: 'x' }] : [])],
        },
      };
    case 'PATCH /v1/blocks/ID/children':
      return {
        body: {
          object: 'list',
          results: Array.from({ length: added }, (_, index) => ({
            object: 'block',
            id: `${id.slice(0, 2)}-${index + 1}`,
          })),
        },
      };
    default:
      return {
        body: { object: 'thing', id: id === 'new' ? PAGE : id, url: 'https://www.notion.so/x', ...given },
      };
  }
}

/** Strict about paths, verbs, version, token, fields and sizes of bodies. */
function notionApi({ method, path, headers, query, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer ntn_canary') {
    const message = 'API token is invalid.';
    return { status: 401, body: { object: 'error', status: 401, code: 'unauthorized', message } };
  }
  if (headers['notion-version'] !== '2026-03-11') return invalid('Notion-Version header is required');
  const request = `${method} ${path}`;
  if (method === 'GET' && path === `/v1/blocks/${BLOCK}/children`) return paginate(PAGES, query);
  const isGet = /^(GET \/v1\/(pages|databases|data_sources)|DELETE \/v1\/blocks)\/[0-9a-f-]{36}$/.test(
    request,
  );
  const allowed = BODIES[request];
  if (!isGet && !allowed) {
    const message = `Could not find object for ${path}.`;
    return { status: 404, body: { object: 'error', status: 404, code: 'object_not_found', message } };
  }
  const given = (typeof body === 'object' ? (body ?? {}) : {}) as JsonObject;
  const unknown = Object.keys(given).find((name) => !allowed?.includes(name));
  if (unknown !== undefined) return invalid(`body.${unknown} should be not present`);
  if (Array.isArray(given['children']) && given['children'].length > 100) {
    return invalid('body.children.length should be ≤ `100`');
  }
  return objectAt(request, given);
}

const NOTION = {
  node: 'notion',
  credential: 'notion',
  api: notionApi,
  address: 'https://api.notion.com',
};

const run = (
  data: JsonObject,
  { values, ...more }: { answers?: ServerAnswer[]; values?: JsonObject; inputs?: JsonObject } = {},
) => runAtService(NOTION, data, { values: { api_token: 'ntn_canary', ...values }, ...more });

const URL_OF_PAGE = `https://www.notion.so/team/Plan-${PAGE.replaceAll('-', '')}?pvs=4`;
const TITLE = [{ text: { content: 'Aufgaben für „Ü“ 🎉' } }];

test.each<[string, JsonObject, JsonObject, Partial<SeenRequest>]>([
  [
    'search',
    { notionQuery: 'Plan', notionFilter: '{"property": "object", "value": "page"}', notionPageSize: '2' },
    { results: PAGES.slice(0, 2), count: 2, next_cursor: '2' },
    { body: { query: 'Plan', filter: { property: 'object', value: 'page' }, page_size: 2 } },
  ],
  [
    'queryDataSource',
    {
      notionDataSourceId: SOURCE,
      notionFilter: '{"property": "Done", "checkbox": {"equals": true}}',
      notionSorts: '[{"property": "Name", "direction": "ascending"}]',
    },
    { results: PAGES.slice(0, 3), count: 3, next_cursor: null },
    {
      body: {
        filter: { property: 'Done', checkbox: { equals: true } },
        sorts: [{ property: 'Name', direction: 'ascending' }],
        page_size: 100,
      },
    },
  ],
  [
    'getBlockChildren',
    { notionBlockId: BLOCK, notionPageSize: '5', notionStartCursor: '10' },
    { results: PAGES.slice(10, 15), count: 5, next_cursor: '15' },
    { method: 'GET', query: { page_size: '5', start_cursor: '10' } },
  ],
  ['getPage', { notionPageId: URL_OF_PAGE }, { page: { id: PAGE } }, { path: `/v1/pages/${PAGE}` }],
  [
    'createPage',
    {
      notionDataSourceId: SOURCE,
      notionProperties: '{"Name": {"title": [{"text": {"content": "$start.title"}}]}}',
      notionIcon: '🎉',
      notionCover: 'https://example.com/c.png',
    },
    { page: { id: PAGE }, id: PAGE, url: 'https://www.notion.so/x' },
    {
      method: 'POST',
      body: {
        parent: { type: 'data_source_id', data_source_id: SOURCE },
        properties: { Name: { title: [{ text: { content: 'say "hi" ü' } }] } },
        icon: { type: 'emoji', emoji: '🎉' },
        cover: { type: 'external', external: { url: 'https://example.com/c.png' } },
      },
    },
  ],
  [
    'updatePage',
    { notionPageId: PAGE, notionProperties: '{"Done": {"checkbox": true}}', notionIcon: 'null' },
    { page: { id: PAGE } },
    { method: 'PATCH', body: { properties: { Done: { checkbox: true } }, icon: null } },
  ],
  [
    'trashPage',
    { notionPageId: PAGE },
    { page: { in_trash: true } },
    { method: 'PATCH', body: { in_trash: true } },
  ],
  [
    'restorePage',
    { notionPageId: PAGE },
    { page: { in_trash: false } },
    { method: 'PATCH', body: { in_trash: false } },
  ],
  [
    'createDatabase',
    {
      notionParentPageId: URL_OF_PAGE,
      notionDatabase: { title: TITLE, initial_data_source: { properties: { Name: { title: {} } } } },
    },
    { database: { title: TITLE }, id: PAGE, url: 'https://www.notion.so/x' },
    {
      method: 'POST',
      body: {
        parent: { type: 'page_id', page_id: PAGE },
        title: TITLE,
        initial_data_source: { properties: { Name: { title: {} } } },
      },
    },
  ],
  [
    'retrieveDatabase',
    { notionDatabaseId: `https://www.notion.so/t/${DATABASE.replaceAll('-', '')}?v=${'1'.repeat(32)}` },
    { database: { id: DATABASE, data_sources: [{ id: SOURCE, name: 'Tasks' }] } },
    { method: 'GET', path: `/v1/databases/${DATABASE}` },
  ],
  [
    'updateDatabase',
    { notionDatabaseId: DATABASE, notionDatabase: { title: TITLE } },
    { database: { title: TITLE }, id: DATABASE },
    { method: 'PATCH', body: { title: TITLE } },
  ],
  [
    'createDataSource',
    { notionDatabaseId: DATABASE, notionDataSource: '{"properties": {"Name": {"title": {}}}}' },
    { data_source: { properties: { Name: { title: {} } } }, id: PAGE },
    {
      method: 'POST',
      body: { parent: { type: 'database_id', database_id: DATABASE }, properties: { Name: { title: {} } } },
    },
  ],
  [
    'updateDataSource',
    {
      notionDataSourceId: `collection://${SOURCE}`,
      notionDataSourceInputMode: 'selective',
      notionDataSourceMappings: [{ key: 'title', value: '$start.rich' }],
    },
    { data_source: { title: TITLE }, id: SOURCE },
    { method: 'PATCH', path: `/v1/data_sources/${SOURCE}`, body: { title: TITLE } },
  ],
  ['retrieveDataSource', { notionDataSourceId: SOURCE }, { data_source: { id: SOURCE } }, { method: 'GET' }],
  [
    'updateBlock',
    {
      notionBlockId: `https://www.notion.so/Plan-${PAGE}#${BLOCK.replaceAll('-', '')}`,
      notionBlock: '{"to_do": {"checked": true}}',
    },
    { block: { id: BLOCK } },
    { method: 'PATCH', path: `/v1/blocks/${BLOCK}`, body: { to_do: { checked: true } } },
  ],
  ['deleteBlock', { notionBlockId: BLOCK }, { block: { id: BLOCK } }, { method: 'DELETE' }],
  [
    'appendBlocks',
    {
      notionBlockId: BLOCK,
      notionChildren: '[{"divider": {}}]',
      notionAppendPosition: 'after_block',
      notionAfterBlockId: PAGE,
    },
    { results: [{ object: 'block', id: '0d-1' }], count: 1 },
    {
      method: 'PATCH',
      body: { children: [{ divider: {} }], position: { type: 'after_block', after_block: { id: PAGE } } },
    },
  ],
])('%s asks as the reference describes and gives its outputs', async (operation, data, output, request) => {
  const inputs = { start: { title: 'say "hi" ü', rich: TITLE } };
  const { result, seen } = await run({ notionOperation: operation, ...data }, { inputs });
  expect(result).toMatchObject({ output: { success: true, operation, ...output } });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject(request);
  if (request.body !== undefined) expect(seen[0]?.body).toEqual(request.body);
});

test('everything is read page by page', async () => {
  const { result, seen } = await run({ notionPageSize: '0' });
  expect(result).toMatchObject({ output: { count: 230, next_cursor: null } });
  expect(seen.map(({ body }) => body)).toEqual([
    { page_size: 100 },
    { page_size: 100, start_cursor: '100' },
    { page_size: 100, start_cursor: '200' },
  ]);
});

test('a database with one data source stands for it', async () => {
  const { result, seen } = await run({ notionOperation: 'queryDataSource', notionDatabaseId: DATABASE });
  expect(result).toMatchObject({ output: { count: 3 } });
  expect(seen.map(({ path }) => path)).toEqual([
    `/v1/databases/${DATABASE}`,
    `/v1/data_sources/${SOURCE}/query`,
  ]);
});

test('a database with several data sources is refused', async () => {
  const { result } = await run({ notionOperation: 'createPage', notionDatabaseId: WIDE });
  expect(result).toMatchObject({ failure: { kind: 'params', field: 'notionDataSourceId' } });
});

const BLOCKS = Array.from({ length: 205 }, (_, index) => ({
  paragraph: { rich_text: [{ text: { content: `${index}` } }] },
}));
const getBody = ({ body }: SeenRequest) => body as { children: unknown[]; position?: unknown };

test('many blocks are added a hundred at a time, in order', async () => {
  const { result, seen } = await run({
    notionOperation: 'appendBlocks',
    notionBlockId: BLOCK,
    notionChildren: BLOCKS,
    notionAppendPosition: 'start',
  });
  expect(result).toMatchObject({ output: { count: 205 } });
  expect(seen.flatMap((request) => getBody(request).children)).toEqual(BLOCKS);
  expect(seen.map((request) => getBody(request).position)).toEqual([
    { type: 'start' },
    { type: 'after_block', after_block: { id: '0d-100' } },
    { type: 'after_block', after_block: { id: '0d-100' } },
  ]);
});

test('a page with many blocks is created with the first hundred and gets the others', async () => {
  const { result, seen } = await run({
    notionOperation: 'createPage',
    notionParentPageId: PAGE,
    notionChildren: BLOCKS,
  });
  expect(result).toMatchObject({ output: { id: PAGE } });
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/pages',
    `PATCH /v1/blocks/${PAGE}/children`,
    `PATCH /v1/blocks/${PAGE}/children`,
  ]);
  expect(seen.flatMap((request) => getBody(request).children)).toEqual(BLOCKS);
});

test('a failure after a part of the work says what is there already', async () => {
  const answers: ServerAnswer[] = [
    { body: { object: 'page', id: PAGE } },
    { body: { results: [{ id: 'b1' }] } },
    { status: 400, body: { code: 'validation_error', message: 'The block is too large.' } },
  ];
  const { result } = await run(
    { notionOperation: 'createPage', notionParentPageId: PAGE, notionChildren: BLOCKS },
    { answers },
  );
  expect(result).toMatchObject({
    failure: {
      kind: 'upstream',
      message: expect.stringContaining(
        `The block is too large. The first 100 of these blocks were added. The page ${PAGE} exists, with a part of its blocks.`,
      ),
    },
  });
});

test('a workspace that was connected by a sign-in is asked with its access token', async () => {
  const values = { auth_mode: 'oauth', api_token: 'old', access_token: 'ntn_canary' };
  expect((await run({}, { values })).result).toMatchObject({ output: { success: true } });
});

test('a limit is waited for, also by what must not be repeated', async () => {
  const limited: ServerAnswer = {
    status: 429,
    headers: { 'retry-after': '3' },
    body: { object: 'error', status: 429, code: 'rate_limited', message: 'You have been rate limited.' },
  };
  const data = { notionOperation: 'appendBlocks', notionBlockId: BLOCK, notionChildren: '[{"divider": {}}]' };
  const { result, seen } = await run(data, { answers: [limited] });
  expect(result).toMatchObject({ output: { count: 1 } });
  expect(seen).toHaveLength(2);
});

test('what is not found fails with the words of the service', async () => {
  const { result } = await run({ notionOperation: 'updatePage', notionPageId: SOURCE, notionIcon: '🎉' });
  expect(result).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining('Could not find object') },
  });
});

test('a refused token is a problem of the credential, told without the token', async () => {
  const { result } = await run({}, { values: { api_token: 'ntn_old' } });
  expect(result).toMatchObject({
    failure: { kind: 'credential', final: true, message: expect.stringContaining('API token is invalid') },
  });
  expect(JSON.stringify(result)).not.toContain('ntn_');
});

test.each<[JsonObject, string]>([
  [{ notionOperation: 'createPage' }, 'notionParentPageId'],
  [{ notionOperation: 'createPage', notionParentPageId: PAGE, notionChildren: '{}' }, 'notionChildren'],
  [{ notionOperation: 'updatePage', notionPageId: PAGE }, 'notionProperties'],
  [{ notionOperation: 'updatePage', notionPageId: PAGE, notionCover: '🎉' }, 'notionCover'],
  [{ notionOperation: 'queryDataSource' }, 'notionDataSourceId'],
  [{ notionOperation: 'search', notionFilter: '[1]' }, 'notionFilter'],
  [{ notionOperation: 'appendBlocks', notionBlockId: BLOCK }, 'notionChildren'],
  [{ notionOperation: 'getBlockChildren', notionBlockId: BLOCK, notionPageSize: 'all' }, 'notionPageSize'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await run(data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test.each([
  ['search', 'read'],
  ['createPage', 'unsafe'],
  ['appendBlocks', 'unsafe'],
  ['updatePage', 'idempotent'],
  ['deleteBlock', 'idempotent'],
])('%s has the effect %s', (notionOperation, effect) => {
  expect(getEffect('notion', { notionOperation })).toBe(effect);
});

test('pages can be chosen by their titles, searched and paged by the service', async () => {
  const server = await serveJson(notionApi);
  const context = choiceContext(egressTo(NOTION.address, server.url), { api_token: 'ntn_canary' });
  const { pages } = implementations.get('notion')?.choices ?? {};
  const answer = await pages?.(context, { params: {}, search: 'Plan', cursor: '50' });
  expect(answer).toMatchObject({ items: { length: 50 }, next_cursor: '100' });
  expect(answer?.items[0]).toEqual({ value: 'p51', label: 'Plan Nr 51' });
  expect(server.seen[0]?.body).toEqual({
    query: 'Plan',
    filter: { property: 'object', value: 'page' },
    page_size: 50,
    start_cursor: '50',
  });
});
