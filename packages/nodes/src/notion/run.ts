import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { path } from '../kit/integration/call-json.ts';
import { readCount, readList, readObject, requiredText } from '../kit/integration/object-input.ts';
import { listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { partlyDone } from '../kit/runs/partly-done.ts';
import { notionCredential } from './credential.ts';
import { DATA_SOURCE, notion } from './definition.ts';
import { type Ask, listed, notionApi, onlyDataSource, READ, TITLE } from './notion-api.ts';
import { type IdKind, notionId } from './notion-id.ts';

type Params = z.output<typeof notion.params>;
type Operation = Params['notionOperation'];

interface Notion {
  readonly params: Params;
  readonly ask: Ask;
}

const MOST_ENTRIES = 10_000;
/** Blocks that one request takes (https://developers.notion.com/reference/request-limits). */
const MOST_BLOCKS = 100;

export const runNotion = implement(
  notion,
  async (call: NodeCall<Params>) => {
    const config = await readCredential(call, notionCredential);
    const { params } = call;
    const operation = params.notionOperation;
    const output = await OPERATIONS[operation]({ params, ask: notionApi(createCaller(call), config) });
    return { output: { success: true, operation, ...output } };
  },
  {
    choices: {
      pages: (context, request) => found(context, request, 'page'),
      data_sources: (context, request) => found(context, request, 'data_source'),
    },
  },
);

const OPERATIONS: Readonly<Record<Operation, (notion: Notion) => Promise<JsonObject>>> = {
  search(notion) {
    const { params } = notion;
    const query = params.notionQuery.trim();
    const body = { ...(query === '' ? {} : { query }), ...filter(params), ...sort(params) };
    return list(notion, (page) =>
      notion.ask({ method: 'POST', path: '/search', body: { ...body, ...page }, ...READ }),
    );
  },
  async queryDataSource(notion) {
    const { params, ask } = notion;
    const sorts = readList({ notionSorts: params.notionSorts || '[]' }, 'notionSorts');
    const body = { ...filter(params), ...(sorts.length > 0 ? { sorts } : {}) };
    const address = path`/data_sources/${await dataSourceId(notion)}/query`;
    return list(notion, (page) =>
      ask({ method: 'POST', path: address, body: { ...body, ...page }, ...READ }),
    );
  },
  getBlockChildren(notion) {
    const address = path`/blocks/${readId(notion.params, 'notionBlockId', 'block')}/children`;
    return list(notion, (page) => notion.ask({ path: address, query: page, ...READ }));
  },
  async getPage({ params, ask }) {
    return { page: await ask({ path: pagePath(params), ...READ }) };
  },
  createPage,
  async updatePage({ params, ask }) {
    const body = { ...properties(params), ...looks(params) };
    if (Object.keys(body).length === 0)
      throw refusedParam('notionProperties', 'enter at least one value to change');
    return { page: await ask({ method: 'PATCH', path: pagePath(params), body, effect: 'idempotent' }) };
  },
  trashPage: (notion) => trashed(notion, true),
  restorePage: (notion) => trashed(notion, false),
  async updateBlock({ params, ask }) {
    const body = objectIn(params, 'notionBlock');
    const address = path`/blocks/${readId(params, 'notionBlockId', 'block')}`;
    return { block: await ask({ method: 'PATCH', path: address, body, effect: 'idempotent' }) };
  },
  async deleteBlock({ params, ask }) {
    const address = path`/blocks/${readId(params, 'notionBlockId', 'block')}`;
    return { block: await ask({ method: 'DELETE', path: address, effect: 'idempotent' }) };
  },
  appendBlocks,
  async createDatabase({ params, ask }) {
    const settings = objectIn(params, 'notionDatabase');
    const parent = settings['parent'] ?? parentPage(params);
    const body = { ...settings, parent, ...looks(params) };
    return created('database', await ask({ method: 'POST', path: '/databases', body, effect: 'unsafe' }));
  },
  async retrieveDatabase({ params, ask }) {
    return { database: await ask({ path: databasePath(params), ...READ }) };
  },
  async updateDatabase({ params, ask }) {
    const body = { ...objectIn(params, 'notionDatabase'), ...looks(params) };
    return created(
      'database',
      await ask({ method: 'PATCH', path: databasePath(params), body, effect: 'idempotent' }),
    );
  },
  async createDataSource({ params, ask }) {
    const database_id = readId(params, 'notionDatabaseId', 'database');
    const body = { parent: { type: 'database_id', database_id }, ...readObject(params, DATA_SOURCE) };
    return created(
      'data_source',
      await ask({ method: 'POST', path: '/data_sources', body, effect: 'unsafe' }),
    );
  },
  async retrieveDataSource({ params, ask }) {
    return { data_source: await ask({ path: dataSourcePath(params), ...READ }) };
  },
  async updateDataSource({ params, ask }) {
    const body = readObject(params, DATA_SOURCE);
    return created(
      'data_source',
      await ask({ method: 'PATCH', path: dataSourcePath(params), body, effect: 'idempotent' }),
    );
  },
};

/** In a data source when one is named, else under a page. Blocks beyond the first hundred are added after it. */
async function createPage(notion: Notion): Promise<JsonObject> {
  const { params, ask } = notion;
  const inSource = params.notionDataSourceId.trim() !== '' || params.notionDatabaseId.trim() !== '';
  const parent = inSource
    ? { type: 'data_source_id', data_source_id: await dataSourceId(notion) }
    : parentPage(params);
  const children = readList({ notionChildren: params.notionChildren || '[]' }, 'notionChildren');
  const body = {
    parent,
    properties: objectIn(params, 'notionProperties'),
    ...(children.length > 0 ? { children: children.slice(0, MOST_BLOCKS) } : {}),
    ...looks(params),
  };
  const page = await ask({ method: 'POST', path: '/pages', body, effect: 'unsafe' });
  const rest = children.slice(MOST_BLOCKS);
  const { id } = page;
  if (rest.length > 0 && typeof id === 'string') {
    const address = path`/blocks/${id}/children`;
    await append(ask, address, rest).catch(partlyDone(`The page ${id} exists, with a part of its blocks`));
  }
  return created('page', page);
}

async function appendBlocks({ params, ask }: Notion): Promise<JsonObject> {
  const children = readList(params, 'notionChildren');
  if (children.length === 0) throw refusedParam('notionChildren', 'enter at least one block');
  const address = path`/blocks/${readId(params, 'notionBlockId', 'block')}/children`;
  const results = await append(ask, address, children, buildPosition(params));
  return { results, count: results.length };
}

function buildPosition(params: Params): JsonObject | undefined {
  switch (params.notionAppendPosition) {
    case 'end':
      return undefined;
    case 'start':
      return { type: 'start' };
    case 'after_block':
      return { type: 'after_block', after_block: { id: readId(params, 'notionAfterBlockId', 'block') } };
    default:
      return params.notionAppendPosition satisfies never;
  }
}

/** Adds blocks in order, in as many requests as it takes; each request but the first continues behind the one before. */
async function append(
  ask: Ask,
  address: string,
  children: readonly Json[],
  first?: JsonObject,
): Promise<Json[]> {
  const results: Json[] = [];
  let position = first;
  for (let start = 0; start < children.length; start += MOST_BLOCKS) {
    const body = { children: children.slice(start, start + MOST_BLOCKS), ...(position ? { position } : {}) };
    const answer = await ask({ method: 'PATCH', path: address, body, effect: 'unsafe' }).catch(
      start === 0 ? undefined : partlyDone(`The first ${start} of these blocks were added`),
    );
    const added = listIn(TITLE, answer, 'results');
    results.push(...added);
    const last = added.at(-1);
    const id = isJsonObject(last) ? last['id'] : undefined;
    if (position && typeof id === 'string') position = { type: 'after_block', after_block: { id } };
  }
  return results;
}

async function list(
  { params }: Notion,
  load: (page: { page_size: number; start_cursor?: string }) => Promise<JsonObject>,
): Promise<JsonObject> {
  const most = readCount(params, 'notionPageSize', { most: MOST_ENTRIES, usual: 100 });
  const { results, next_cursor } = await listed({ start: params.notionStartCursor.trim(), most }, load);
  return { results, count: results.length, next_cursor };
}

async function trashed({ params, ask }: Notion, in_trash: boolean): Promise<JsonObject> {
  const body = { in_trash };
  return { page: await ask({ method: 'PATCH', path: pagePath(params), body, effect: 'idempotent' }) };
}

function created(name: string, object: JsonObject): JsonObject {
  return { [name]: object, id: object['id'] ?? null, url: object['url'] ?? null };
}

const readId = (params: Params, name: keyof Params, kind: IdKind): string =>
  notionId(requiredText(params, name), kind);

const pagePath = (params: Params): string => path`/pages/${readId(params, 'notionPageId', 'page')}`;
const databasePath = (params: Params): string =>
  path`/databases/${readId(params, 'notionDatabaseId', 'database')}`;
const dataSourcePath = (params: Params): string =>
  path`/data_sources/${readId(params, 'notionDataSourceId', 'data_source')}`;

async function dataSourceId({ params, ask }: Notion): Promise<string> {
  const given = params.notionDataSourceId.trim();
  if (given !== '' || params.notionDatabaseId.trim() === '') {
    return readId(params, 'notionDataSourceId', 'data_source');
  }
  return onlyDataSource(ask, readId(params, 'notionDatabaseId', 'database'));
}

const parentPage = (params: Params): JsonObject => ({
  type: 'page_id',
  page_id: readId(params, 'notionParentPageId', 'page'),
});

/** The object of a parameter that is JSON; an empty one is an empty object. */
const objectIn = (params: Params, raw: keyof Params): JsonObject =>
  readObject({ [raw]: params[raw] || '{}' }, { mode: '', raw, selective: '' });

function named(
  params: Params,
  raw: 'notionFilter' | 'notionSort' | 'notionProperties',
  name: string,
): JsonObject {
  const value = objectIn(params, raw);
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}

const filter = (params: Params): JsonObject => named(params, 'notionFilter', 'filter');
const sort = (params: Params): JsonObject => named(params, 'notionSort', 'sort');
const properties = (params: Params): JsonObject => named(params, 'notionProperties', 'properties');

function looks(params: Params): JsonObject {
  const icon = parsePicture('notionIcon', params.notionIcon);
  const cover = parsePicture('notionCover', params.notionCover);
  return { ...(icon === undefined ? {} : { icon }), ...(cover === undefined ? {} : { cover }) };
}

/** https://developers.notion.com/reference/file-object and emoji-object, out of the short ways to write them. */
function parsePicture(field: 'notionIcon' | 'notionCover', value: string): Json | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  if (text === 'null') return null;
  if (/^https?:\/\//i.test(text)) return { type: 'external', external: { url: text } };
  if (text.startsWith('{')) return readObject({ [field]: text }, { mode: '', raw: field, selective: '' });
  if (field === 'notionIcon') return { type: 'emoji', emoji: text };
  throw refusedParam(field, 'must be the address of a picture');
}

const CHOICES_PER_PAGE = 50;

/** Pages or data sources that the integration can see, searched and paged by Notion itself. */
async function found(
  { caller, config }: ChoiceContext,
  { search, cursor }: ChoiceRequest,
  value: 'page' | 'data_source',
) {
  const words = search.trim();
  const body = {
    ...(words === '' ? {} : { query: words }),
    filter: { property: 'object', value },
    page_size: CHOICES_PER_PAGE,
    ...(cursor === null ? {} : { start_cursor: cursor }),
  };
  const answer = await notionApi(caller, config)({ method: 'POST', path: '/search', body, ...READ });
  const items = listIn(TITLE, answer, 'results').flatMap((entry) => {
    const id = isJsonObject(entry) ? entry['id'] : undefined;
    return isJsonObject(entry) && typeof id === 'string'
      ? [{ value: id, label: findTitle(entry) || id }]
      : [];
  });
  const next = answer['has_more'] === true ? answer['next_cursor'] : null;
  return { items, next_cursor: typeof next === 'string' ? next : null };
}

/** A data source has its title itself, a page as the property of the type title. */
function findTitle(entry: JsonObject): string {
  const properties = isJsonObject(entry['properties']) ? Object.values(entry['properties']) : [];
  const property = properties.find((one) => isJsonObject(one) && one['type'] === 'title');
  const own = entry['title'] ?? (isJsonObject(property) ? property['title'] : undefined);
  if (!Array.isArray(own)) return '';
  return own
    .map((part) => (isJsonObject(part) && typeof part['plain_text'] === 'string' ? part['plain_text'] : ''))
    .join('');
}
