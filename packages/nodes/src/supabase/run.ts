import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { buildConnection, callJson, type JsonRequest, path } from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readCount, readJson, requiredText } from '../kit/integration/object-input.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { supabaseCredential } from './credential.ts';
import { supabase } from './definition.ts';
import { filterQuery } from './filter.ts';

type Params = z.output<typeof supabase.params>;
type Query = readonly (readonly [string, string])[];

const TITLE = 'Supabase';
const MOST_ROWS = 100_000;
/** The most rows that a project answers unless it was set otherwise. */
const PAGE_ROWS = 1_000;

interface Ask {
  readonly method: NonNullable<JsonRequest['method']>;
  readonly effect: JsonRequest['effect'];
  readonly query: Query;
  readonly prefer?: string;
  readonly body?: Json;
}

interface Supabase {
  readonly params: Params;
  readonly input: Json;
  /** Rows of the answer. */
  ask(request: Ask): Promise<Json[]>;
}

export const runSupabase = implement(
  supabase,
  async (call: NodeCall<Params>) => {
    const { params } = call;
    const operation = params.supabaseOperation;
    const config = await readCredential(call, supabaseCredential);
    const connection = buildConnection(TITLE, supabaseCredential, config);
    const caller = createCaller(call);
    const table = path`/${requiredText(params, 'supabaseTable')}`;
    const schema = params.supabaseSchema.trim() || getSchema(config);
    const rows = await OPERATIONS[operation]({
      params,
      input: call.first_input,
      ask: async ({ query, prefer, ...request }) => {
        const { body } = await callJson(caller, connection, {
          ...request,
          path: query.length === 0 ? table : `${table}?${formatQuery(query)}`,
          headers: {
            // https://docs.postgrest.org/en/stable/references/api/schemas.html
            [request.method === 'GET' ? 'accept-profile' : 'content-profile']: schema,
            ...(prefer === undefined ? {} : { prefer }),
          },
        });
        return listIn(TITLE, body);
      },
    });
    return { output: { success: true, operation, rows, count: rows.length } };
  },
  { choices: { tables } },
);

const formatQuery = (query: Query): string =>
  new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
const getSchema = (config: CredentialConfig): string => readConfigText(config, 'supabase_schema') || 'public';

const OPERATIONS: Readonly<Record<Params['supabaseOperation'], (supabase: Supabase) => Promise<Json[]>>> = {
  select({ params, ask }) {
    const limit = readCount(params, 'supabaseLimit', { most: MOST_ROWS, usual: 100 });
    const order = params.supabaseOrderBy.trim();
    const query: Query = [
      ['select', params.supabaseSelectColumns.trim() || '*'],
      ...filterQuery(readFilter(params)),
      ...(order === '' ? [] : [['order', `${order}.${params.supabaseAscending ? 'asc' : 'desc'}`] as const]),
    ];
    return collect(async (offset: number | undefined = 0) => {
      const wanted = Math.min(PAGE_ROWS, limit - offset);
      const items = await ask({
        method: 'GET',
        effect: 'read',
        query: [...query, ['limit', String(wanted)], ['offset', String(offset)]],
      });
      // A project may answer with fewer rows than it is asked for, so only an empty page is the last one of a long list.
      const isOver = items.length === 0 || (limit <= PAGE_ROWS && items.length < wanted);
      return { items, next: isOver ? undefined : offset + items.length };
    }, limit);
  },
  insert({ params, input, ask }) {
    const body = readRows(params, input);
    return ask({ method: 'POST', effect: 'unsafe', query: [], prefer: 'return=representation', body });
  },
  upsert({ params, input, ask }) {
    const columns = params.supabaseOnConflict.replace(/\s/g, '');
    return ask({
      method: 'POST',
      effect: 'idempotent',
      query: columns === '' ? [] : [['on_conflict', columns]],
      prefer: 'resolution=merge-duplicates,return=representation',
      body: readRows(params, input),
    });
  },
  update({ params, input, ask }) {
    const body =
      params.supabaseDataInputMode === 'auto'
        ? withoutIgnored(params, input)
        : readJson(params, 'supabaseData');
    if (!isJsonObject(body) || Object.keys(body).length === 0)
      throw refusedParam('supabaseData', 'must be a JSON object with at least one column');
    return ask({
      method: 'PATCH',
      effect: 'idempotent',
      query: requiredFilter(params),
      prefer: 'return=representation',
      body,
    });
  },
  delete({ params, ask }) {
    return ask({
      method: 'DELETE',
      effect: 'idempotent',
      query: requiredFilter(params),
      prefer: 'return=representation',
    });
  },
};

function readFilter(params: Params): JsonObject {
  const filter = readJson(params, 'supabaseFilter') ?? {};
  if (isJsonObject(filter)) return filter;
  throw refusedParam('supabaseFilter', 'must be a JSON object such as {"status": "open"}');
}

/** A change of every row of a table is never meant by a filter that turned out empty. */
function requiredFilter(params: Params): Query {
  const query = filterQuery(readFilter(params));
  if (query.length > 0) return query;
  throw refusedParam('supabaseFilter', 'must not be empty; it names the rows that are changed');
}

function readRows(params: Params, input: Json): JsonObject[] {
  const isAuto = params.supabaseRowsInputMode === 'auto';
  const value = isAuto ? withoutIgnored(params, input) : readJson(params, 'supabaseRows');
  const rows = Array.isArray(value) ? value : [value ?? null];
  if (rows.length > 0 && rows.every(isJsonObject)) return rows;
  throw refusedParam('supabaseRows', 'must be an object or a list of objects with at least one row');
}

function withoutIgnored(params: Params, input: Json): Json {
  const ignored = new Set(params.supabaseIgnoredInputFields.split(',').map((name) => name.trim()));
  const of = (row: Json): Json =>
    isJsonObject(row) ? Object.fromEntries(Object.entries(row).filter(([name]) => !ignored.has(name))) : row;
  return Array.isArray(input) ? input.map(of) : of(input);
}

/** Tables and views as the project describes them (OpenAPI). */
async function tables({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const connection = buildConnection(TITLE, supabaseCredential, config);
  const { body } = await callJson(caller, connection, {
    path: '/',
    effect: 'read',
    headers: { 'accept-profile': getSchema(config) },
  });
  const definitions = isJsonObject(body) ? body['definitions'] : undefined;
  const names = isJsonObject(definitions) ? Object.keys(definitions) : [];
  return choicesFrom(names.sort(), request, (name) => ({ value: name, label: name }));
}
