import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import {
  buildConnection,
  type Caller,
  callJson,
  type JsonRequest,
  path,
} from '../kit/integration/call-json.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { notionCredential } from './credential.ts';

export const TITLE = 'Notion';
export const READ = { effect: 'read' } as const;

/** One request of https://developers.notion.com/reference/intro, answered with an object. */
export type Ask = (request: JsonRequest) => Promise<JsonObject>;

export function notionApi(caller: Caller, config: CredentialConfig): Ask {
  const connection = buildConnection(TITLE, notionCredential, config);
  return async (request) => {
    const { body } = await callJson(caller, connection, request);
    if (isJsonObject(body)) return body;
    throw new NodeFailure({ kind: 'upstream', message: `${TITLE} answered without an object` });
  };
}

const PAGE_SIZE = 100;

interface Listed {
  /** Of the first call; empty for the begin. */
  readonly start: string;
  readonly most: number;
}

/** Entries of a list, for which `load` asks page by page, and where it can be continued. */
export async function listed(
  { start, most }: Listed,
  load: (page: { page_size: number; start_cursor?: string }) => Promise<JsonObject>,
): Promise<{ results: Json[]; next_cursor: string | null }> {
  let next_cursor: string | null = null;
  let left = most;
  const results = await collect(async (cursor: string | undefined) => {
    const from = cursor ?? start;
    const page = { page_size: Math.min(left, PAGE_SIZE), ...(from === '' ? {} : { start_cursor: from }) };
    const body = await load(page);
    const items = listIn(TITLE, body, 'results');
    left -= items.length;
    const { has_more, next_cursor: next } = body;
    next_cursor = has_more === true && typeof next === 'string' ? next : null;
    return { items, next: next_cursor ?? undefined };
  }, most);
  return { results, next_cursor };
}

/** The only data source of a database. Databases with several are refused, for any choice would be a guess. */
export async function onlyDataSource(ask: Ask, database_id: string): Promise<string> {
  const database = await ask({ path: path`/databases/${database_id}`, ...READ });
  const sources = listIn(TITLE, database, 'data_sources');
  const [source] = sources;
  const id = isJsonObject(source) ? source['id'] : undefined;
  if (sources.length === 1 && typeof id === 'string') return id;
  throw refusedParam(
    'notionDataSourceId',
    `choose one of the ${sources.length} data sources of the database`,
  );
}
