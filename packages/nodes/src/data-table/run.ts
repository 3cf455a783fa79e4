import { type JsonObject, NodeFailure } from '@millrace/engine';
import { implement } from '../implement.ts';
import { readObject, requiredText } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import type { DataTableChange, DataTableRecord } from '../services.ts';
import { DATA, dataTable } from './definition.ts';

/** The most rows that one node can hold; more is read part by part. */
const MOST_ROWS = 100_000;

type Params = Readonly<Record<string, unknown>>;

/** Empty finds every row; text that is no JSON is refused, for it would find every row too. */
function readFilter(params: Params): JsonObject {
  const value = params['dataTableFilter'];
  if (value === null || value === undefined || (typeof value === 'string' && value.trim() === '')) return {};
  return readObject(params, { mode: '', raw: 'dataTableFilter', selective: '' });
}

/** Zero, less and nothing mean every row. */
function readLimit({ dataTableLimit: value }: Params): number | undefined {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : (value ?? 0);
  if (limit === '') return undefined;
  if (typeof limit !== 'number' || !Number.isInteger(limit)) {
    throw refusedParam('dataTableLimit', `must be a whole number, not "${String(value).slice(0, 40)}"`);
  }
  return limit > 0 ? Math.min(limit, MOST_ROWS) : undefined;
}

/** Only the sign alone means the time at which rows were added. */
function readSort({ dataTableSort }: { readonly dataTableSort: string }): string {
  const text = dataTableSort.trim();
  return text === '' || text === '-' ? `${text}created_at` : text;
}

function buildChange(params: { dataTableOperation: DataTableChange['operation'] } & Params): DataTableChange {
  const operation = params.dataTableOperation;
  switch (operation) {
    case 'insert':
      return { operation, data: readObject(params, DATA) };
    case 'update':
      return { operation, row_id: requiredText(params, 'dataTableRowId'), data: readObject(params, DATA) };
    case 'remove':
      return { operation, row_id: requiredText(params, 'dataTableRowId') };
    case 'upsert':
      return { operation, filter: readFilter(params), data: readObject(params, DATA) };
    default:
      return operation satisfies never;
  }
}

export const runDataTable = implement(dataTable, async ({ params, services, idempotency_key }) => {
  const table_id = requiredText(params, 'dataTableId');
  const operation = params.dataTableOperation;
  const tables = services.dataTables;
  const done = { success: true, operation } as const;
  switch (operation) {
    case 'find':
    case 'getAll': {
      const limit = readLimit(params);
      const filter = operation === 'find' ? readFilter(params) : {};
      const query = { filter, sort: readSort(params), limit: limit ?? MOST_ROWS + 1 };
      const rows = await tables.find(table_id, query);
      if (rows.length > MOST_ROWS) throw tooMany();
      return { output: { ...done, rows: rows.map(toOutputRow), count: rows.length } };
    }
    case 'count':
      return { output: { ...done, count: await tables.count(table_id, readFilter(params)) } };
    case 'getById': {
      const row = await tables.read(table_id, requiredText(params, 'dataTableRowId'));
      return { output: { ...done, row: row ? toOutputRow(row) : null, found: row !== null } };
    }
    default: {
      const change = buildChange({ ...params, dataTableOperation: operation });
      const written = await tables.write(table_id, change, idempotency_key);
      const row = written.row ? { row: toOutputRow(written.row) } : {};
      return { output: { ...done, operation: written.operation, ...row, id: written.id } };
    }
  }
});

const toOutputRow = ({ id, data, created_at }: DataTableRecord) => ({ id, data, created_at });

const tooMany = () =>
  new NodeFailure({
    kind: 'params',
    message: `More than ${MOST_ROWS} rows match; narrow the filter, or set a limit and continue behind the last row`,
    field: 'dataTableLimit',
    final: true,
  });
