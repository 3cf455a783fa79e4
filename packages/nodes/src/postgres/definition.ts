import { defineNode, field, type JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { objectFields } from '../kit/integration/object-input.ts';
import { defineOperations } from '../kit/integration/operations.ts';
import { numeric } from '../kit/numeric.ts';
import { postgresCredential } from './credential.ts';

const OPERATION = 'operation';
const TABLE = ['schema', 'table'];
const MOST_SECONDS = 24 * 60 * 60;
export const MOST_ROWS = 100_000;

export const DATA = { mode: 'dataMode', raw: 'data', selective: 'columns' } as const;

const { params, effect } = defineOperations({
  key: OPERATION,
  initial: 'executeQuery',
  operations: {
    executeQuery: {
      title: 'Run a query',
      effect: 'unsafe',
      fields: ['query', 'queryParameters', 'readOnly', 'limit'],
    },
    select: { title: 'Find rows', effect: 'read', fields: [...TABLE, 'where', 'sort', 'limit'] },
    insert: { title: 'Insert rows', effect: 'unsafe', fields: [...TABLE, ...Object.values(DATA)] },
    update: {
      title: 'Update rows',
      effect: 'idempotent',
      fields: [...TABLE, 'where', ...Object.values(DATA)],
    },
    upsert: {
      title: 'Insert or update rows',
      effect: 'idempotent',
      fields: [...TABLE, ...Object.values(DATA), 'columnsToMatchOn'],
    },
    delete: { title: 'Delete rows', effect: 'idempotent', fields: [...TABLE, 'where'] },
  },
  fields: {
    query: field
      .text('Query', {
        kind: 'multiline',
        placeholder: 'SELECT * FROM orders WHERE id = $1',
        when_empty: 'Write the query',
        help: 'Sent as it is written. Values belong into the parameters, as $1, $2.',
      })
      .default(''),
    queryParameters: field
      .value('Parameters', { kind: 'json', placeholder: '["$input.id"]', help: 'A list; the first is $1.' })
      .default('[]'),
    readOnly: field
      .boolean('Only reads', {
        help: 'The database refuses changes, so that the query can be repeated after a crash.',
      })
      .default(false),
    schema: field.template('Schema').default('public'),
    table: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: ['credentialId', 'schema'] },
        when_empty: 'Choose the table',
      })
      .default(''),
    where: field
      .value('Filter', {
        kind: 'json',
        help: 'Values by column, such as {"status": "open", "total": {"gte": 10}}. To update or delete rows it must not be empty.',
      })
      .default('{}'),
    ...objectFields({ ...DATA, title: 'Values', help: 'By column; to insert rows also a list of objects.' }),
    columnsToMatchOn: field
      .template('Columns that make a row unique', {
        when_empty: 'Enter the columns of a unique index',
        help: 'Separated by commas.',
      })
      .default(''),
    sort: field
      .template('Sort by', { help: 'Columns separated by commas, with - in front for descending.' })
      .default(''),
    limit: field.value('At most', { help: `Rows; zero for ${MOST_ROWS}.` }).default(100),
  },
});

/** A query that the database keeps from changing anything may be repeated. */
const effectOf = (data: JsonObject) => {
  const operation = data[OPERATION] ?? 'executeQuery';
  return operation === 'executeQuery' && data['readOnly'] === true ? 'read' : effect(data);
};

export const postgres = defineNode({
  type: 'postgres',
  title: 'PostgreSQL',
  family: 'integration',
  summary: 'Runs queries and changes rows in a PostgreSQL database.',
  icon: 'database',
  credentials: [postgresCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['postgres'],
        when_empty: 'Choose the database',
      })
      .default(''),
    ...params,
    timeoutSeconds: numeric('Timeout (seconds)', { min: 1, max: MOST_SECONDS, integer: true }).default(60),
  }),
  initial: { label: 'postgres', operation: 'executeQuery', queryParameters: '[]', limit: 100 },
  effect: effectOf,
});
