import { isJsonObject } from '@millrace/engine';
import type { Connection } from 'mysql2';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { DATA } from '../kit/database/fields.ts';
import { limitIn, queryIn, requiredWhere, rowsIn, valuesIn, whereIn } from '../kit/database/rows.ts';
import type { Statement } from '../kit/database/sql.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { readCredential } from '../kit/integration/run-caller.ts';
import { withDatabase } from './client.ts';
import { mysqlCredential } from './credential.ts';
import { mysql } from './definition.ts';
import { deleteFrom, identifier, insertInto, selectFrom, updateTable } from './dialect.ts';
import { type Answer, inTransaction, send } from './statements.ts';

type Params = z.output<typeof mysql.params>;
type Work = (connection: Connection) => Promise<Answer>;

const TEST_TIMEOUT_MS = 15_000;

export const runMysql = implement(
  mysql,
  async (call: NodeCall<Params>) => {
    const { params, services, signal } = call;
    const { operation } = params;
    const work = OPERATIONS[operation](params);
    const config = await readCredential(call, mysqlCredential);
    const isReadOnly = operation === 'select' || (operation === 'executeQuery' && params.readOnly);
    const answer = await withDatabase({ http: services.http, signal }, config, {
      timeout_ms: params.timeoutSeconds * 1000,
      work: (connection) => inTransaction(connection, isReadOnly, () => work(connection)),
    });
    const { rows, affected, insert_id, truncated } = answer;
    return {
      output: {
        success: true,
        operation,
        rows,
        count: rows.length,
        ...(affected === undefined ? {} : { affected }),
        ...(insert_id === undefined ? {} : { insert_id }),
        ...(operation === 'executeQuery' ? { truncated: truncated === true } : {}),
      },
    };
  },
  {
    connections: {
      mysql: async ({ caller, config }) => {
        await withDatabase(caller, config, {
          timeout_ms: TEST_TIMEOUT_MS,
          work: (connection) => send(connection, { text: 'SELECT 1', values: [] }),
        });
      },
    },
    choices: { tables },
  },
);

/** Parameters are checked when an operation is chosen, before anything is sent. */
const OPERATIONS: Readonly<Record<Params['operation'], (params: Params) => Work>> = {
  executeQuery(params) {
    const query = queryIn(params);
    const limit = limitIn(params);
    return (connection) => send(connection, query, limit);
  },
  select(params) {
    const selection = { where: whereIn(params), sort: params.sort, limit: limitIn(params) };
    return all([selectFrom(quoteTable(params), selection)]);
  },
  insert: (params) => all(insertInto(quoteTable(params), rowsIn(params, DATA))),
  upsert: (params) => all(insertInto(quoteTable(params), rowsIn(params, DATA), [])),
  update(params) {
    const where = requiredWhere(params);
    const data = valuesIn(params);
    return all([updateTable(quoteTable(params), data, where)]);
  },
  delete: (params) => all([deleteFrom(quoteTable(params), requiredWhere(params))]),
};

/** Sends statements one after the other. */
const all =
  (statements: readonly Statement[]): Work =>
  async (connection) => {
    const answers: Answer[] = [];
    for (const statement of statements) answers.push(await send(connection, statement));
    const changed = answers.filter(({ affected }) => affected !== undefined);
    return {
      rows: answers.flatMap(({ rows }) => rows),
      affected:
        changed.length === 0 ? undefined : changed.reduce((sum, { affected = 0 }) => sum + affected, 0),
      insert_id: answers[0]?.insert_id,
    };
  };

/** `orders`, or `shop.orders` of another database on the server. */
const quoteTable = (params: Params): string =>
  requiredText(params, 'table').split('.').map(identifier).join('.');

async function tables({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const { rows } = await withDatabase(caller, config, {
    timeout_ms: TEST_TIMEOUT_MS,
    work: (connection) =>
      send(connection, {
        text: 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
        values: [],
      }),
  });
  return choicesFrom(rows, request, (row) =>
    isJsonObject(row) ? { value: row['name'], label: row['name'] } : {},
  );
}
