import { defineNode, field, type JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { objectFields } from '../kit/integration/object-input.ts';
import { defineOperations } from '../kit/integration/operations.ts';
import { clickhouseCredential } from './credential.ts';

export const DATA = {
  mode: 'clickhouseInputMode',
  raw: 'clickhouseData',
  selective: 'clickhouseMappings',
} as const;

const OPERATION = 'clickhouseOperation';
const WHICH = ['clickhouseRowId', 'clickhouseFilter'];

const { params, effect } = defineOperations({
  key: OPERATION,
  initial: 'query',
  operations: {
    query: { title: 'Run a query', effect: 'unsafe', fields: ['clickhouseQuery', 'clickhouseParameters'] },
    find: {
      title: 'Find rows',
      effect: 'read',
      fields: ['clickhouseTable', 'clickhouseFilter', 'clickhouseSort', 'clickhouseLimit'],
    },
    getAll: {
      title: 'List rows',
      effect: 'read',
      fields: ['clickhouseTable', 'clickhouseSort', 'clickhouseLimit'],
    },
    count: { title: 'Count rows', effect: 'read', fields: ['clickhouseTable', 'clickhouseFilter'] },
    getById: { title: 'Get a row', effect: 'read', fields: ['clickhouseTable', 'clickhouseRowId'] },
    insert: { title: 'Insert rows', effect: 'unsafe', fields: ['clickhouseTable', ...Object.values(DATA)] },
    update: {
      title: 'Update rows',
      effect: 'idempotent',
      fields: ['clickhouseTable', ...WHICH, ...Object.values(DATA)],
    },
    remove: { title: 'Delete rows', effect: 'idempotent', fields: ['clickhouseTable', ...WHICH] },
    upsert: {
      title: 'Update rows or insert one',
      effect: 'idempotent',
      fields: ['clickhouseTable', ...WHICH, ...Object.values(DATA)],
    },
  },
  fields: {
    clickhouseQuery: field
      .template('Query', {
        kind: 'multiline',
        placeholder: 'SELECT * FROM orders WHERE id = {id:UInt64}',
        when_empty: 'Write the query',
        help: 'Values belong into parameters, written as {name:Type}.',
      })
      .default(''),
    clickhouseParameters: field
      .value('Parameters', { kind: 'json', placeholder: '{"id": "$input.id"}' })
      .default('{}'),
    clickhouseTable: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: ['credentialId'] },
        when_empty: 'Choose the table',
      })
      .default(''),
    clickhouseRowId: field.template('Value of the column id').default(''),
    clickhouseFilter: field
      .value('Filter', { kind: 'json', help: 'Values by column, such as {"status": "open"}.' })
      .default('{}'),
    clickhouseSort: field
      .template('Sort by', { help: 'Columns separated by commas, with - in front for descending.' })
      .default(''),
    clickhouseLimit: field.value('At most', { help: 'Zero: all rows, 100,000 at most.' }).default('100'),
    ...objectFields({ ...DATA, title: 'Values', help: 'By column; to insert rows also a list of objects.' }),
  },
});

const READS = /^\s*(select|show|describe|desc|exists|explain)\b/i;

/** A query that only reads may be repeated. One that begins with an expression or a comment is not looked into. */
const determineEffect = (data: JsonObject) => {
  const query = data['clickhouseQuery'];
  const operation = data[OPERATION] ?? 'query';
  return operation === 'query' && typeof query === 'string' && READS.test(query) ? 'read' : effect(data);
};

export const clickhouse = defineNode({
  type: 'clickhouse',
  title: 'ClickHouse',
  family: 'integration',
  summary: 'Queries and changes tables of a ClickHouse server.',
  icon: [['path', { d: 'M4 4v16M8 4v16M12 4v16M16 4v16M20 11v3' }]],
  credentials: [clickhouseCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['clickhouse'],
        when_empty: 'Choose the ClickHouse server',
      })
      .default(''),
    ...params,
  }),
  initial: {
    label: 'clickhouse',
    clickhouseOperation: 'query',
    clickhouseData: '[]',
    clickhouseLimit: '100',
  },
  effect: determineEffect,
});
