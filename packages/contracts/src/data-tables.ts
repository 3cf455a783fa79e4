import { z } from 'zod';
import { emailInput, idParams, timestamp, uuid } from './common.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';
import { sharedBy, teamShare, teamShareEndpoints, userShare, userShareEndpoints } from './shares.ts';
import { keyName, storedName, storedText } from './text.ts';

export const DATA_COLUMN_TYPES = ['string', 'number', 'boolean', 'date', 'json'] as const;
export type DataColumnType = (typeof DATA_COLUMN_TYPES)[number];

export const DATA_TABLE_LIMITS = {
  columns: 100,
  /** Characters of one cell; JSON counts as text. */
  cell_characters: 100_000,
  /** Characters of all cells of a row as JSON text. */
  row_characters: 1_000_000,
  /** Rows of one request. */
  rows: 10_000,
  /** Rows of one page. */
  page: 1_000,
} as const;

const columnInput = z.object({
  /** Of a column that is there; without one, it is the column of that name, or a new one. */
  id: uuid.nullish(),
  name: keyName(255),
  type: z.enum(DATA_COLUMN_TYPES).default('string'),
  required: z.boolean().default(false),
  /** Value of new rows that have none. */
  defaultValue: z.json().nullish(),
  unique: z.boolean().default(false),
  order: z.number().int().min(0).max(10_000).nullish(),
});
export type DataColumnInput = z.input<typeof columnInput>;

export const dataColumn = z
  .object({
    id: uuid,
    name: z.string(),
    type: z.enum(DATA_COLUMN_TYPES),
    required: z.boolean(),
    defaultValue: z.json(),
    unique: z.boolean(),
    order: z.number().int(),
  })
  .meta({ id: 'DataColumn' });
export type DataColumn = z.infer<typeof dataColumn>;

const permission = z.enum(['read', 'write']);
export type DataTablePermission = z.infer<typeof permission>;

const record = {
  id: uuid,
  name: z.string(),
  description: z.string().nullable(),
  row_count: z.number().int(),
  owner_id: uuid,
  /** What the caller may do with the rows. */
  permission,
  created_at: timestamp,
  updated_at: timestamp,
  ...sharedBy,
};

export const dataTableSummary = z
  .object({ ...record, column_count: z.number().int() })
  .meta({ id: 'DataTableSummary' });
export type DataTableSummary = z.infer<typeof dataTableSummary>;

export const dataTable = z.object({ ...record, columns: z.array(dataColumn) }).meta({ id: 'DataTable' });
export type DataTable = z.infer<typeof dataTable>;

export const dataRow = z
  .object({
    id: uuid,
    table_id: uuid,
    /** Cells by the name of their column; null where there is none. */
    data: z.record(z.string(), z.json()),
    created_by: uuid.nullable(),
    updated_by: uuid.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'DataRow' });
export type DataRow = z.infer<typeof dataRow>;

/** What an import has stored, and what is wrong with the rows that it left out. */
export const dataImport = z
  .object({
    imported: z.number().int(),
    /** At most a thousand; `row` counts from 1, without the line of headers. */
    errors: z.array(z.object({ row: z.number().int(), errors: z.array(z.string()) })),
    total: z.number().int(),
  })
  .meta({ id: 'DataImport' });
export type DataImport = z.infer<typeof dataImport>;

const tag = 'Data tables';
const path = '/api/data-tables';
const one = `${path}/{id}`;
const rowPath = `${one}/rows/{row_id}`;
const rowParams = idParams.extend({ row_id: uuid });
const name = storedName(255);
const description = storedText(2_000);
const columns = z.array(columnInput).max(DATA_TABLE_LIMITS.columns);
const cells = z.record(z.string().max(255), z.json());
/** `{column: value}` or `{column: {"$gt": value}}`; all of it must hold. */
const filter = z.record(z.string().max(255), z.json());
/** Names of columns, the first one first; a leading `-` turns the order around: `-price,name`. */
const sort = z.string().max(1_000);
const limit = z.coerce.number().int().min(1).max(DATA_TABLE_LIMITS.page);
const most = DATA_TABLE_LIMITS.rows;
const invalidRows = ['forbidden', 'not_found', 'conflict'] as const;

export const listDataTables = endpoint({
  id: 'listDataTables',
  method: 'GET',
  path,
  tag,
  summary: 'Own tables by name, then those shared with the caller and with their teams',
  auth: 'session',
  response: z.array(dataTableSummary),
});

export const createDataTable = endpoint({
  id: 'createDataTable',
  method: 'POST',
  path,
  tag,
  summary: 'Create a table with its columns',
  auth: 'session',
  body: z.object({ name, description: description.nullish(), columns: columns.default([]) }),
  response: dataTable,
  status: 201,
  errors: ['conflict'],
});

export const readDataTable = endpoint({
  id: 'readDataTable',
  method: 'GET',
  path: one,
  tag,
  summary: 'One table with its columns',
  auth: 'session',
  params: idParams,
  response: dataTable,
  errors: ['not_found'],
});

export const updateDataTable = endpoint({
  id: 'updateDataTable',
  method: 'PUT',
  path: one,
  tag,
  summary: 'Rename or describe a table, or replace its columns; cells of a column that stays are converted',
  auth: 'session',
  params: idParams,
  body: z.object({ name: name.nullish(), description: description.nullish(), columns: columns.nullish() }),
  response: dataTable,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const deleteDataTable = endpoint({
  id: 'deleteDataTable',
  method: 'DELETE',
  path: one,
  tag,
  summary: 'Delete a table with its rows and shares',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

export const listDataRows = endpoint({
  id: 'listDataRows',
  method: 'GET',
  path: `${one}/rows`,
  tag,
  summary: 'Rows, newest first unless sorted; `filter` is JSON text',
  auth: 'session',
  params: idParams,
  query: z.object({
    limit: limit.default(50),
    offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
    filter: z.string().max(16_000).optional(),
    sort: sort.optional(),
  }),
  response: z.array(dataRow),
  errors: ['not_found'],
});

export const queryDataRows = endpoint({
  id: 'queryDataRows',
  method: 'POST',
  path: `${one}/rows/query`,
  tag,
  summary: 'A page of rows behind a cursor, as deep in a table as you like',
  auth: 'session',
  params: idParams,
  body: z.object({
    filter: filter.nullish(),
    sort: sort.nullish(),
    limit: limit.default(100),
    cursor: z.string().max(300_000).nullish(),
  }),
  response: z.object({
    rows: z.array(dataRow),
    next_cursor: z.string().nullable(),
    /** How many rows match; only with the first page. */
    total: z.number().int().nullable(),
  }),
  errors: ['not_found'],
});

export const createDataRow = endpoint({
  id: 'createDataRow',
  method: 'POST',
  path: `${one}/rows`,
  tag,
  summary: 'Add a row',
  auth: 'session',
  params: idParams,
  body: z.object({ data: cells }),
  response: dataRow,
  status: 201,
  errors: invalidRows,
});

export const readDataRow = endpoint({
  id: 'readDataRow',
  method: 'GET',
  path: rowPath,
  tag,
  summary: 'One row',
  auth: 'session',
  params: rowParams,
  response: dataRow,
  errors: ['not_found'],
});

export const updateDataRow = endpoint({
  id: 'updateDataRow',
  method: 'PUT',
  path: rowPath,
  tag,
  summary: 'Change cells of a row; the others stay',
  auth: 'session',
  params: rowParams,
  body: z.object({ data: cells }),
  response: dataRow,
  errors: invalidRows,
});

export const deleteDataRow = endpoint({
  id: 'deleteDataRow',
  method: 'DELETE',
  path: rowPath,
  tag,
  summary: 'Delete a row',
  auth: 'session',
  params: rowParams,
  errors: ['forbidden', 'not_found'],
});

export const clearDataRows = endpoint({
  id: 'clearDataRows',
  method: 'DELETE',
  path: `${one}/rows`,
  tag,
  summary: 'Delete all rows',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

export const bulkInsertDataRows = endpoint({
  id: 'bulkInsertDataRows',
  method: 'POST',
  path: `${one}/rows/bulk`,
  tag,
  summary:
    'Add the rows that are right, and say what is wrong with the others; an `id` restores a deleted row',
  auth: 'session',
  params: idParams,
  body: z.array(z.object({ id: uuid.nullish(), data: cells })).max(most),
  body_limit: GRAPH_BODY_BYTES,
  response: dataImport,
  errors: ['forbidden', 'not_found'],
});

export const bulkUpdateDataRows = endpoint({
  id: 'bulkUpdateDataRows',
  method: 'POST',
  path: `${one}/rows/bulk-update`,
  tag,
  summary: 'Change cells of several rows, all or none',
  auth: 'session',
  params: idParams,
  body: z.object({
    updates: z
      .array(z.object({ id: uuid, data: cells }))
      .min(1)
      .max(most),
  }),
  body_limit: GRAPH_BODY_BYTES,
  response: z.object({ updated: z.number().int() }),
  errors: invalidRows,
});

export const bulkDeleteDataRows = endpoint({
  id: 'bulkDeleteDataRows',
  method: 'POST',
  path: `${one}/rows/bulk-delete`,
  tag,
  summary: 'Delete several rows; ids that are gone are passed over',
  auth: 'session',
  params: idParams,
  body: z.object({ ids: z.array(uuid).min(1).max(most) }),
  errors: ['forbidden', 'not_found'],
});

export const upsertDataRow = endpoint({
  id: 'upsertDataRow',
  method: 'POST',
  path: `${one}/rows/upsert`,
  tag,
  summary: 'Change the oldest row that the filter finds, or add one with the filter as cells',
  auth: 'session',
  params: idParams,
  body: z.object({ filter, data: cells }),
  response: z.object({ operation: z.enum(['insert', 'update']), row: dataRow }),
  errors: invalidRows,
});

export const previewDataCsv = endpoint({
  id: 'previewDataCsv',
  method: 'POST',
  path: `${one}/preview-csv`,
  tag,
  summary:
    'First rows of a CSV file (form field `file`, its beginning is enough) and the column of each header',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  errors: ['bad_request', 'not_found', 'too_large', 'unsupported_media_type'],
});

export const dataCsvPreview = z
  .object({
    delimiter: z.string(),
    /** `column` is the name of the column with that name, in any case; null when there is none. */
    headers: z.array(z.object({ header: z.string(), column: z.string().nullable() })),
    rows: z.array(z.array(z.string())),
  })
  .meta({ id: 'DataCsvPreview' });
export type DataCsvPreview = z.infer<typeof dataCsvPreview>;

export const importDataCsv = endpoint({
  id: 'importDataCsv',
  method: 'POST',
  path: `${one}/import-csv`,
  tag,
  summary:
    'Add the rows of a CSV file (form field `file`); `mapping` before it is JSON of headers and their columns',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  errors: ['bad_request', 'forbidden', 'not_found', 'too_large', 'unsupported_media_type'],
});

export const exportDataCsv = endpoint({
  id: 'exportDataCsv',
  method: 'GET',
  path: `${one}/export-csv`,
  tag,
  summary: 'All rows as CSV, oldest first',
  auth: 'session',
  kind: 'raw',
  params: idParams,
  errors: ['not_found'],
});

export const dataTableUserShare = userShare.extend({ permission }).meta({ id: 'DataTableUserShare' });
export const dataTableTeamShare = teamShare.extend({ permission }).meta({ id: 'DataTableTeamShare' });

const shared = { name: 'dataTable', path, tag };
export const dataTableUserShares = userShareEndpoints(
  shared,
  dataTableUserShare,
  emailInput.extend({ permission: permission.default('read') }),
);
export const dataTableTeamShares = teamShareEndpoints(
  shared,
  dataTableTeamShare,
  z.object({ team_id: uuid, permission: permission.default('read') }),
);

export const dataTableEndpoints = [
  listDataTables,
  createDataTable,
  readDataTable,
  updateDataTable,
  deleteDataTable,
  listDataRows,
  queryDataRows,
  createDataRow,
  bulkInsertDataRows,
  bulkUpdateDataRows,
  bulkDeleteDataRows,
  upsertDataRow,
  readDataRow,
  updateDataRow,
  deleteDataRow,
  clearDataRows,
  previewDataCsv,
  importDataCsv,
  exportDataCsv,
  ...Object.values(dataTableUserShares),
  ...Object.values(dataTableTeamShares),
];
