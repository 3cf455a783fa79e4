import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid } from './common.ts';
import { DATA_TABLE_LIMITS } from './data-tables.ts';
import { endpoint, GRAPH_BODY_BYTES } from './endpoint.ts';

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

/** The outcome of an import: what it has stored, and what is wrong with the rows that it left out. */
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
const one = '/api/data-tables/{id}';
const rowPath = `${one}/rows/{row_id}`;
const rowParams = idParams.extend({ row_id: uuid });
const cells = z.record(z.string().max(255), z.json());
/** `{column: value}` or `{column: {"$gt": value}}`; all of it must hold. */
const filter = z.record(z.string().max(255), z.json());
/** Names of columns, the first one first; a leading `-` turns the order around: `-price,name`. */
const sort = z.string().max(1_000);
const limit = z.coerce.number().int().min(1).max(DATA_TABLE_LIMITS.page);
const most = DATA_TABLE_LIMITS.rows;
const invalidRows = ['forbidden', 'not_found', 'conflict'] as const;

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
  upload: 'form',
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
  upload: 'form',
  params: idParams,
  query: z.object({
    formulas_escaped: queryBoolean.default(true).meta({
      description:
        'Whether an apostrophe before =, +, -, @, a tab or a line break is left out, as exports have it; false keeps texts as they are',
    }),
  }),
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
  query: z.object({
    escape_formulas: queryBoolean.default(true).meta({
      description:
        'Texts that a spreadsheet would calculate (those that begin with =, +, -, @, a tab or a line break) get an apostrophe in front, which an import removes; false for programs that read the file',
    }),
  }),
  errors: ['not_found'],
});

export const dataRowEndpoints = [
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
];
