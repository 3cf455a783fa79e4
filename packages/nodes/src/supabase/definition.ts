import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations, shownFor } from '../kit/integration/operations.ts';
import { supabaseCredential } from './credential.ts';

const TABLE = ['supabaseSchema', 'supabaseTable'];
const ROWS = ['supabaseRowsInputMode', 'supabaseRows', 'supabaseIgnoredInputFields'];
const DATA = ['supabaseDataInputMode', 'supabaseData', 'supabaseIgnoredInputFields'];

const inputMode = (title: string) =>
  field
    .choice(title, ['raw', 'auto'], {
      choices: [
        { value: 'raw', title: 'As JSON' },
        { value: 'auto', title: 'The input of the node' },
      ],
    })
    .default('raw');

const { params, effect } = defineOperations({
  key: 'supabaseOperation',
  initial: 'select',
  operations: {
    select: {
      title: 'Find rows',
      effect: 'read',
      fields: [
        ...TABLE,
        'supabaseSelectColumns',
        'supabaseFilter',
        'supabaseOrderBy',
        'supabaseAscending',
        'supabaseLimit',
      ],
    },
    insert: { title: 'Insert rows', effect: 'unsafe', fields: [...TABLE, ...ROWS] },
    update: { title: 'Update rows', effect: 'idempotent', fields: [...TABLE, 'supabaseFilter', ...DATA] },
    upsert: {
      title: 'Insert or update rows',
      effect: 'idempotent',
      fields: [...TABLE, ...ROWS, 'supabaseOnConflict'],
    },
    delete: { title: 'Delete rows', effect: 'idempotent', fields: [...TABLE, 'supabaseFilter'] },
  },
  fields: {
    supabaseSchema: field.template('Schema', { help: 'Empty: the one of the credential.' }).default('public'),
    supabaseTable: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: ['credentialId'] },
        when_empty: 'Choose the table',
      })
      .default(''),
    supabaseSelectColumns: field.template('Columns').default('*'),
    supabaseFilter: field
      .value('Filter', {
        kind: 'json',
        help: 'Values by column, such as {"status": "open", "total": {"gte": 10}}. To update or delete rows it must not be empty.',
      })
      .default('{}'),
    supabaseOrderBy: field.template('Sort by').default(''),
    supabaseAscending: field.boolean('Ascending').default(true),
    supabaseLimit: field.value('At most', { help: 'Zero: all rows, page by page.' }).default('100'),
    supabaseRowsInputMode: inputMode('Rows: input'),
    supabaseRows: shownFor(
      field.value('Rows', { kind: 'json', help: 'An object or a list of objects.' }).default('[]'),
      {
        field: 'supabaseRowsInputMode',
        is: ['raw'],
      },
    ),
    supabaseDataInputMode: inputMode('Values: input'),
    supabaseData: shownFor(field.value('Values', { kind: 'json' }).default('{}'), {
      field: 'supabaseDataInputMode',
      is: ['raw'],
    }),
    supabaseIgnoredInputFields: field
      .template('Fields of the input that are left out', { help: 'Separated by commas.' })
      .default(''),
    supabaseOnConflict: field
      .template('Columns that make a row unique', { help: 'Separated by commas. Empty: the primary key.' })
      .default(''),
  },
});

export const supabase = defineNode({
  type: 'supabase',
  title: 'Supabase',
  family: 'integration',
  summary: 'Reads and changes rows of tables of a Supabase project.',
  icon: 'database',
  credentials: [supabaseCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['supabase'],
        when_empty: 'Choose the project',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'supabase', supabaseOperation: 'select', supabaseFilter: '{}', supabaseLimit: '100' },
  effect,
});
