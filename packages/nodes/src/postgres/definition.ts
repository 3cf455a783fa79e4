import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import {
  DATA,
  dataFields,
  effectOfQuery,
  limitField,
  readOnlyField,
  sortField,
  timeoutField,
  whereField,
} from '../kit/database/fields.ts';
import { defineOperations } from '../kit/integration/operations.ts';
import { postgresCredential } from './credential.ts';

const TABLE = ['schema', 'table'];

const { params, effect } = defineOperations({
  key: 'operation',
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
    readOnly: readOnlyField(),
    schema: field.template('Schema').default('public'),
    table: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: ['credentialId', 'schema'] },
        when_empty: 'Choose the table',
      })
      .default(''),
    where: whereField(),
    ...dataFields(),
    columnsToMatchOn: field
      .template('Columns that make a row unique', {
        when_empty: 'Enter the columns of a unique index',
        help: 'Separated by commas.',
      })
      .default(''),
    sort: sortField(),
    limit: limitField(),
  },
});

export const postgres = defineNode({
  type: 'postgres',
  title: 'PostgreSQL',
  family: 'integration',
  summary: 'Runs queries and changes rows in a PostgreSQL database.',
  search_words: ['sql', 'database'],
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
    timeoutSeconds: timeoutField(),
  }),
  initial: { label: 'postgres', operation: 'executeQuery', queryParameters: '[]', limit: 100 },
  effect: effectOfQuery(effect),
});
