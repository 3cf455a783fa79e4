import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { orderBy } from '../kit/database/order.ts';
import { buildConnection, callJson, type JsonAnswer } from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readCount, readJson, readObject, requiredText } from '../kit/integration/object-input.ts';
import { listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { clickhouseCredential } from './credential.ts';
import { clickhouse, DATA } from './definition.ts';
import {
  binder,
  buildWhere,
  type ColumnTypes,
  identifier,
  queryParams,
  type Statement,
  tableName,
} from './sql.ts';

type Params = z.output<typeof clickhouse.params>;
type Operation = Params['clickhouseOperation'];

const TITLE = 'ClickHouse';
const MOST_ROWS = 100_000;

interface Ask extends Statement {
  readonly effect: 'read' | 'idempotent' | 'unsafe';
  /** Rows to insert. */
  readonly body?: readonly JsonObject[];
}

interface ClickHouse {
  readonly params: Params;
  ask(statement: Ask): Promise<JsonAnswer>;
  rows(statement: Statement): Promise<Json[]>;
  /** Of the columns of the table, so that a value is compared as what the column holds. */
  types(): Promise<ColumnTypes>;
}

/** https://clickhouse.com/docs/interfaces/http */
function address({ sql, params }: Statement): string {
  const query = new URLSearchParams({
    query: sql,
    default_format: 'JSON',
    // Numbers that JSON cannot hold exactly come as text.
    output_format_json_quote_64bit_integers: '1',
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, value])),
  });
  return `/?${query.toString()}`;
}

export const runClickhouse = implement(
  clickhouse,
  async (call: NodeCall<Params>) => {
    const operation = call.params.clickhouseOperation;
    const config = await readCredential(call, clickhouseCredential);
    const connection = buildConnection(TITLE, clickhouseCredential, config);
    const caller = createCaller(call);
    const ask = ({ effect, body, ...statement }: Ask) =>
      callJson(caller, connection, {
        method: 'POST',
        path: address(statement),
        effect,
        ...(body === undefined ? {} : { body }),
      });
    const rows = async (statement: Statement) => toRows((await ask({ ...statement, effect: 'read' })).body);
    const { params } = call;
    const output = await OPERATIONS[operation]({ params, ask, rows, types: () => fetchTypes(params, rows) });
    return { output: { success: true, operation, ...output } };
  },
  { choices: { tables } },
);

const quoteTable = (params: Params): string => tableName(requiredText(params, 'clickhouseTable'));

const OPERATIONS: Readonly<Record<Operation, (clickhouse: ClickHouse) => Promise<JsonObject>>> = {
  async query({ params, ask }) {
    const sql = requiredText(params, 'clickhouseQuery').replace(/;\s*$/, '');
    const values = readJson(params, 'clickhouseParameters') ?? {};
    if (!isJsonObject(values))
      throw refusedParam('clickhouseParameters', 'must be a JSON object such as {"id": 7}');
    const { body } = await ask({ sql, params: queryParams(values), effect: 'unsafe' });
    // Statements that change something answer with nothing.
    const rows = isJsonObject(body) && Array.isArray(body['data']) ? toRows(body) : [];
    return { rows, count: rows.length, ...(typeof body === 'string' && body !== '' ? { result: body } : {}) };
  },
  async find(clickhouse) {
    const found = await clickhouse.rows(await select(clickhouse, readFilter(clickhouse.params)));
    return { rows: found, count: found.length };
  },
  async getAll(clickhouse) {
    const found = await clickhouse.rows(await select(clickhouse, {}));
    return { rows: found, count: found.length };
  },
  async count(clickhouse) {
    return { count: await countRows(clickhouse, readFilter(clickhouse.params)) };
  },
  async getById({ params, rows, types }) {
    const bound = binder(await types());
    const where = buildWhere({ id: requiredText(params, 'clickhouseRowId') }, bound);
    const [row = null] = await rows({
      sql: `SELECT * FROM ${quoteTable(params)}${where} LIMIT 1`,
      params: bound.params,
    });
    return { row, found: row !== null };
  },
  async insert({ params, ask }) {
    const rows = newRows(params);
    await insertRows({ params, ask }, rows);
    return { rows, count: rows.length, result: { inserted: rows.length } };
  },
  async update(clickhouse) {
    await change(clickhouse, which(clickhouse.params));
    return { result: { updated: true } };
  },
  async remove({ params, ask, types }) {
    const bound = binder(await types());
    const where = buildWhere(which(params), bound);
    await ask({
      sql: `ALTER TABLE ${quoteTable(params)} DELETE${where} SETTINGS mutations_sync = 2`,
      params: bound.params,
      effect: 'idempotent',
    });
    return { result: { deleted: true } };
  },
  async upsert(clickhouse) {
    const { params, ask } = clickhouse;
    const filter = which(params);
    if ((await countRows(clickhouse, filter)) > 0) {
      await change(clickhouse, filter);
      return { result: { updated: true, inserted: 0 } };
    }
    const row = { ...filter, ...readObject(params, DATA) };
    await insertRows({ params, ask }, [row]);
    return { row, result: { updated: false, inserted: 1 } };
  },
};

/** Names and types of columns, as the server describes them. */
const columnsIn = (rows: readonly Json[]): [name: string, type: string][] =>
  rows.flatMap((row): [string, string][] => {
    const { name, type } = isJsonObject(row) ? row : {};
    return typeof name === 'string' && typeof type === 'string' ? [[name, type]] : [];
  });

async function fetchTypes(params: Params, rows: ClickHouse['rows']): Promise<ColumnTypes> {
  const [table = '', database] = requiredText(params, 'clickhouseTable').split('.').reverse();
  const found = await rows({
    sql: `SELECT name, type FROM system.columns WHERE table = {t:String} AND database = ${database === undefined ? 'currentDatabase()' : '{d:String}'}`,
    params: { t: table, ...(database === undefined ? {} : { d: database }) },
  });
  return new Map(columnsIn(found));
}

async function select({ params, types }: ClickHouse, filter: JsonObject): Promise<Statement> {
  const limit = readCount(params, 'clickhouseLimit', { most: MOST_ROWS, usual: 100 });
  const bound = binder(Object.keys(filter).length === 0 ? new Map() : await types());
  const where = buildWhere(filter, bound);
  const order = orderBy(params.clickhouseSort, identifier);
  return { sql: `SELECT * FROM ${quoteTable(params)}${where}${order} LIMIT ${limit}`, params: bound.params };
}

async function countRows({ params, rows, types }: ClickHouse, filter: JsonObject): Promise<number> {
  const bound = binder(await types());
  const where = buildWhere(filter, bound);
  const [row] = await rows({
    sql: `SELECT count() AS n FROM ${quoteTable(params)}${where}`,
    params: bound.params,
  });
  return isJsonObject(row) ? Number(row['n'] ?? 0) : 0;
}

async function insertRows(
  { params, ask }: Pick<ClickHouse, 'params' | 'ask'>,
  rows: readonly JsonObject[],
): Promise<void> {
  const sql = `INSERT INTO ${quoteTable(params)} FORMAT JSONEachRow`;
  await ask({ sql, params: {}, effect: 'unsafe', body: rows });
}

async function change({ params, ask, types }: ClickHouse, filter: JsonObject): Promise<void> {
  const data = Object.entries(readObject(params, DATA));
  if (data.length === 0) throw refusedParam('clickhouseData', 'must have at least one column');
  const bound = binder(await types());
  const set = data
    .map(([column, value]) => `${identifier(column)} = ${bound.bind(column, value)}`)
    .join(', ');
  const where = buildWhere(filter, bound);
  await ask({
    sql: `ALTER TABLE ${quoteTable(params)} UPDATE ${set}${where} SETTINGS mutations_sync = 2`,
    params: bound.params,
    effect: 'idempotent',
  });
}

function readFilter(params: Params): JsonObject {
  const filter = readJson(params, 'clickhouseFilter') ?? {};
  if (isJsonObject(filter)) return filter;
  throw refusedParam('clickhouseFilter', 'must be a JSON object such as {"status": "open"}');
}

/** The rows of a change: one by its id, or those of a filter. A change of the whole table is never meant by an empty one. */
function which(params: Params): JsonObject {
  const id = params.clickhouseRowId.trim();
  const filter = id === '' ? readFilter(params) : { id };
  if (Object.keys(filter).length > 0) return filter;
  throw refusedParam('clickhouseFilter', 'must not be empty unless there is a value of the column id');
}

function newRows(params: Params): JsonObject[] {
  const value =
    params.clickhouseInputMode === 'selective'
      ? readObject(params, DATA)
      : readJson(params, 'clickhouseData');
  const rows = Array.isArray(value) ? value : [value ?? null];
  if (rows.length > 0 && rows.every(isJsonObject) && rows.every((row) => Object.keys(row).length > 0))
    return rows;
  throw refusedParam('clickhouseData', 'must be an object or a list of objects with at least one row');
}

const WHOLE = /^(Nullable\()?U?Int64\)?$/;

/** Rows with whole numbers as numbers where that is exact; larger ones stay text. */
function toRows(body: Json): Json[] {
  const rows = listIn(TITLE, body, 'data');
  const meta = listIn(TITLE, body, 'meta');
  const whole = columnsIn(meta).flatMap(([name, type]) => (WHOLE.test(type) ? [name] : []));
  return rows.map((row) => {
    if (!isJsonObject(row) || whole.length === 0) return row;
    const exact = whole.flatMap((name): [string, number][] => {
      const number = typeof row[name] === 'string' ? Number(row[name]) : Number.NaN;
      return Number.isSafeInteger(number) ? [[name, number]] : [];
    });
    return { ...row, ...Object.fromEntries(exact) };
  });
}

async function tables({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const connection = buildConnection(TITLE, clickhouseCredential, config);
  const sql = 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name';
  const { body } = await callJson(caller, connection, {
    method: 'POST',
    path: address({ sql, params: {} }),
    effect: 'read',
  });
  return choicesFrom(toRows(body), request, (row) =>
    isJsonObject(row) ? { value: row['name'], label: row['name'] } : {},
  );
}
