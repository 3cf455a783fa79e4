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
import { mysqlCredential } from './credential.ts';

const VALUES = Object.values(DATA);

const { params, effect } = defineOperations({
  key: 'operation',
  initial: 'executeQuery',
  operations: {
    executeQuery: {
      title: 'Run a query',
      effect: 'unsafe',
      fields: ['query', 'queryParameters', 'readOnly', 'limit'],
    },
    select: { title: 'Find rows', effect: 'read', fields: ['table', 'where', 'sort', 'limit'] },
    insert: { title: 'Insert rows', effect: 'unsafe', fields: ['table', ...VALUES] },
    update: { title: 'Update rows', effect: 'idempotent', fields: ['table', 'where', ...VALUES] },
    upsert: { title: 'Insert or update rows', effect: 'idempotent', fields: ['table', ...VALUES] },
    delete: { title: 'Delete rows', effect: 'idempotent', fields: ['table', 'where'] },
  },
  fields: {
    query: field
      .text('Query', {
        kind: 'multiline',
        placeholder: 'SELECT * FROM orders WHERE id = ?',
        when_empty: 'Write the query',
        help: 'Sent as written. Each ? is replaced by the next parameter.',
      })
      .default(''),
    queryParameters: field
      .value('Parameters', {
        kind: 'json',
        placeholder: '["$input.id"]',
        help: 'A list in the order of the question marks.',
      })
      .default('[]'),
    readOnly: readOnlyField(),
    table: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: ['credentialId'] },
        when_empty: 'Choose the table',
      })
      .default(''),
    where: whereField(),
    ...dataFields(),
    sort: sortField(),
    limit: limitField(),
  },
});

export const mysql = defineNode({
  type: 'mysql',
  title: 'MySQL',
  family: 'integration',
  summary: 'Runs queries and changes rows in a MySQL or MariaDB database.',
  search_words: ['sql', 'database', 'mariadb'],
  icon: 'database',
  credentials: [mysqlCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['mysql'],
        when_empty: 'Choose the database',
      })
      .default(''),
    ...params,
    timeoutSeconds: timeoutField(),
  }),
  initial: { label: 'mysql', operation: 'executeQuery', queryParameters: '[]', limit: 100 },
  output: z.object({
    success: z.literal(true),
    operation: z.string(),
    rows: z.array(z.json()),
    count: z.int(),
    affected: z.int().optional(),
    insert_id: z.json().optional(),
    truncated: z.boolean().optional(),
  }),
  effect: effectOfQuery(effect),
});
