import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { objectFields } from '../kit/integration/object-input.ts';
import { defineOperations } from '../kit/integration/operations.ts';

export const DATA = {
  mode: 'dataTableInputMode',
  raw: 'dataTableData',
  selective: 'dataTableFields',
} as const;
const VALUES = Object.values(DATA);

/** Writes are idempotent: the server stores the key of the node in its round with the rows. */
const { params: all, effect } = defineOperations({
  key: 'dataTableOperation',
  initial: 'find',
  operations: {
    find: {
      title: 'Find rows',
      effect: 'read',
      fields: ['dataTableFilter', 'dataTableSort', 'dataTableLimit'],
    },
    getAll: { title: 'Read all rows', effect: 'read', fields: ['dataTableSort', 'dataTableLimit'] },
    getById: { title: 'Read a row', effect: 'read', fields: ['dataTableRowId'] },
    count: { title: 'Count rows', effect: 'read', fields: ['dataTableFilter'] },
    insert: { title: 'Add a row', effect: 'idempotent', fields: VALUES },
    update: { title: 'Change a row', effect: 'idempotent', fields: ['dataTableRowId', ...VALUES] },
    remove: { title: 'Delete a row', effect: 'idempotent', fields: ['dataTableRowId'] },
    upsert: {
      title: 'Change a row, or add it',
      effect: 'idempotent',
      fields: ['dataTableFilter', ...VALUES],
    },
  },
  fields: {
    dataTableFilter: field
      .value('Filter', {
        kind: 'json',
        help: 'By column, such as {"city": "$input.city", "age": {"$gte": 18}}. Empty finds every row.',
      })
      .default('{}'),
    dataTableRowId: field.template('Row', { when_empty: 'Enter the id of the row' }).default(''),
    ...objectFields({ ...DATA, title: 'Values', help: 'By column, such as {"name": "$input.name"}.' }),
    dataTableSort: field
      .template('Sort by', {
        help: 'Columns separated by commas, with - in front for descending. Empty: oldest first.',
      })
      .default(''),
    dataTableLimit: field.value('At most', { kind: 'number', help: 'Zero means every row.' }).default(0),
  },
});

// Every operation may be repeated.
const { onUnknownOutcome: _, ...params } = all;

const row = z.object({ id: z.string(), data: z.record(z.string(), z.json()), created_at: z.string() });

export const dataTable = defineNode({
  type: 'dataTable',
  title: 'Data Table',
  family: 'data',
  summary: 'Reads and changes rows of a data table.',
  search_words: ['database', 'rows', 'storage'],
  icon: 'table',
  params: z.object({
    dataTableId: field
      .custom(z.string(), 'Data table', {
        kind: 'data_table',
        mode: 'template',
        when_empty: 'Choose the data table',
      })
      .default(''),
    ...params,
  }),
  initial: {
    label: 'dataTable',
    dataTableOperation: 'find',
    dataTableFilter: '{}',
    dataTableData: '{}',
    dataTableLimit: 100,
  },
  output: z.object({
    success: z.literal(true),
    operation: z.string(),
    rows: z.array(row).optional(),
    count: z.int().optional(),
    row: row.nullish(),
    found: z.boolean().optional(),
    id: z.string().optional(),
  }),
  effect,
});
