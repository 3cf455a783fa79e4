import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { Client } from 'pg';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { DATA } from '../kit/database/fields.ts';
import { limitIn, queryIn, requiredWhere, rowsIn, valuesIn, whereIn } from '../kit/database/rows.ts';
import type { Statement } from '../kit/database/sql.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { readCredential } from '../kit/integration/run-caller.ts';
import { namesIn } from '../kit/values/list/items.ts';
import { testDatabase, withDatabase } from './client.ts';
import { postgresCredential } from './credential.ts';
import { postgres } from './definition.ts';
import { deleteFrom, identifier, insertInto, selectFrom, updateTable } from './dialect.ts';
import { type Answer, inTransaction, readByCursor, send } from './statements.ts';

type Params = z.output<typeof postgres.params>;
type Work = (client: Client) => Promise<Answer>;

export const runPostgres = implement(
  postgres,
  async (call: NodeCall<Params>) => {
    const { params, services, signal } = call;
    const { operation } = params;
    const work = OPERATIONS[operation](params);
    const config = await readCredential(call, postgresCredential);
    const isReadOnly = operation === 'select' || (operation === 'executeQuery' && params.readOnly);
    const answer = await withDatabase({ http: services.http, signal }, config, (client) =>
      inTransaction(client, { isReadOnly, timeout_ms: params.timeoutSeconds * 1000 }, () => work(client)),
    );
    const { rows, affected, truncated } = answer;
    return {
      output: {
        success: true,
        operation,
        rows,
        count: rows.length,
        ...(affected === undefined ? {} : { affected }),
        ...(truncated === undefined ? {} : { truncated }),
      },
    };
  },
  {
    connections: { postgres: ({ caller, config }) => testDatabase(caller, config) },
    choices: { tables },
  },
);

/** Parameters are checked when an operation is chosen, before anything is sent. */
const OPERATIONS: Readonly<Record<Params['operation'], (params: Params) => Work>> = {
  executeQuery(params) {
    const query = queryIn(params);
    const limit = limitIn(params);
    return (client) => readByCursor(client, query, limit);
  },
  select(params) {
    const table = quoteTable(params);
    const selection = { where: whereIn(params), sort: params.sort, limit: limitIn(params) };
    return one(selectFrom(table, selection));
  },
  insert(params) {
    const table = quoteTable(params);
    const rows = rowsIn(params, DATA);
    return all(params, rows, (typed) => insertInto(table, typed));
  },
  upsert(params) {
    const table = quoteTable(params);
    const rows = rowsIn(params, DATA);
    const match = namesIn(requiredText(params, 'columnsToMatchOn'));
    return all(params, rows, (typed) => insertInto(table, typed, match));
  },
  update(params) {
    const table = quoteTable(params);
    const where = requiredWhere(params);
    const data = valuesIn(params);
    return all(params, [data], ([typed = data]) => [updateTable(table, typed, where)]);
  },
  delete(params) {
    const table = quoteTable(params);
    const where = requiredWhere(params);
    return one(deleteFrom(table, where));
  },
};

const one =
  (statement: Statement): Work =>
  (client) =>
    send(client, statement);

/** Sends statements one after the other; values of JSON columns are written as JSON. */
const all =
  (params: Params, rows: readonly JsonObject[], build: (typed: JsonObject[]) => Statement[]): Work =>
  async (client) => {
    const answers: Answer[] = [];
    for (const statement of build(await jsonAsText(client, params, rows)))
      answers.push(await send(client, statement));
    return {
      rows: answers.flatMap((answer) => answer.rows),
      affected: answers.reduce((sum, { affected = 0 }) => sum + affected, 0),
    };
  };

/** The driver writes a list as an array of the database, which a JSON column does not take. */
async function jsonAsText(
  client: Client,
  params: Params,
  rows: readonly JsonObject[],
): Promise<JsonObject[]> {
  if (!rows.some((row) => Object.values(row).some(Array.isArray))) return [...rows];
  const { rows: found } = await send(client, {
    text: `SELECT column_name FROM information_schema.columns
           WHERE table_schema = $1 AND table_name = $2 AND data_type IN ('json', 'jsonb')`,
    values: [params.schema.trim() || 'public', params.table.trim()],
  });
  const columns = new Set(found.map((row) => (isJsonObject(row) ? row['column_name'] : null)));
  const written = (column: string, value: Json): Json =>
    columns.has(column) && Array.isArray(value) ? JSON.stringify(value) : value;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, written(column, value)])),
  );
}

function quoteTable(params: Params): string {
  const table = requiredText(params, 'table');
  return `${identifier(params.schema.trim() || 'public')}.${identifier(table)}`;
}

async function tables({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const schema = request.params['schema']?.trim() || 'public';
  const { rows } = await withDatabase(caller, config, (client) =>
    send(client, {
      text: 'SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY table_name',
      values: [schema],
    }),
  );
  return choicesFrom(rows, request, (row) =>
    isJsonObject(row) ? { value: row['table_name'], label: row['table_name'] } : {},
  );
}
