import { z } from 'zod';
import { emailInput, idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
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
  /** The caller's permission on the rows. */
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

const tag = 'Data tables';
const path = '/api/data-tables';
const one = `${path}/{id}`;
const name = storedName(255);
const description = storedText(2_000);
const columns = z.array(columnInput).max(DATA_TABLE_LIMITS.columns);

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
  ...Object.values(dataTableUserShares),
  ...Object.values(dataTableTeamShares),
];
