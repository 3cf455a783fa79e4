import { defineNode, field, type JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations, shownFor } from '../kit/integration/operations.ts';
import { bigqueryCredential } from './credential.ts';

const { params, effect } = defineOperations({
  key: 'bqOperation',
  initial: 'query',
  operations: {
    query: { title: 'Run a query', effect: 'unsafe', fields: ['bqQuery', 'bqMaxResults'] },
    insertRows: {
      title: 'Insert rows',
      effect: 'unsafe',
      fields: ['bqDatasetId', 'bqTableId', 'bqRowsInputMode', 'bqRows', 'bqMappings'],
    },
  },
  fields: {
    bqProjectId: field
      .resource('Project', {
        resource: { list: 'projects', depends_on: ['credentialId'] },
        when_empty: 'Choose the project',
      })
      .default(''),
    bqQuery: field
      .template('Query', {
        kind: 'multiline',
        when_empty: 'Enter the query',
        placeholder: 'SELECT name FROM `project.dataset.table` LIMIT 10',
        help: 'GoogleSQL. Values of expressions become part of the text.',
      })
      .default(''),
    bqMaxResults: field.template('At most', { help: 'Rows; zero means 100000.' }).default('1000'),
    bqDatasetId: field
      .resource('Dataset', {
        resource: { list: 'datasets', depends_on: ['credentialId', 'bqProjectId'] },
        when_empty: 'Choose the dataset',
      })
      .default(''),
    bqTableId: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: ['credentialId', 'bqProjectId', 'bqDatasetId'] },
        when_empty: 'Choose the table',
      })
      .default(''),
    bqRowsInputMode: field
      .choice('Rows: input', ['raw', 'selective'], {
        choices: [
          { value: 'raw', title: 'As JSON' },
          { value: 'selective', title: 'One row, field by field' },
        ],
      })
      .default('raw'),
    bqRows: shownFor(
      field.value('Rows', { kind: 'json', help: 'A list of objects by the names of columns.' }).default('[]'),
      { field: 'bqRowsInputMode', is: ['raw'] },
    ),
    bqMappings: shownFor(field.mappings('Row').default([]), { field: 'bqRowsInputMode', is: ['selective'] }),
  },
});

/** Whether a query only reads: one SELECT. A script may do anything. https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax */
export function isReadingQuery(query: unknown): boolean {
  if (typeof query !== 'string') return false;
  const text = query
    .replace(/\/\*[\s\S]*?\*\/|--[^\n]*|#[^\n]*/g, ' ')
    .trim()
    .replace(/;$/, '');
  return /^\(*\s*(select|with)\b/i.test(text) && !text.includes(';');
}

export const bigquery = defineNode({
  type: 'bigquery',
  title: 'BigQuery',
  family: 'integration',
  summary: 'Runs queries and inserts rows in Google BigQuery.',
  icon: 'database',
  credentials: [bigqueryCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['bigquery'],
        when_empty: 'Choose the Google account',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'bigquery', bqOperation: 'query', bqMaxResults: '1000' },
  effect: (data: JsonObject) => {
    const isQuery = (data['bqOperation'] ?? 'query') === 'query';
    return isQuery && isReadingQuery(data['bqQuery']) ? 'read' : effect(data);
  },
});
