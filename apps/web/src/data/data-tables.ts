import {
  bulkDeleteDataRows,
  bulkInsertDataRows,
  createDataRow,
  createDataTable,
  type DataColumnInput,
  type DataCsvPreview,
  type DataImport,
  type DataRow,
  deleteDataTable,
  exportDataCsv,
  importDataCsv,
  listDataTables,
  previewDataCsv,
  queryDataRows,
  type ResponseOf,
  readDataTable,
  updateDataRow,
  updateDataTable,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { api, sessionFetch } from './api.ts';
import { downloadLarge } from './download.ts';
import { answersTo, callById, endpointPages, useChange, useEndpoint } from './endpoint.ts';
import { refusal } from './refusal.ts';
import { sendInSession } from './upload.ts';

export const useDataTables = () => useEndpoint(listDataTables);

export const useDataTable = (id: string) => useEndpoint(readDataTable, { params: { id } });

const TABLES = [listDataTables, readDataTable];

const rowsOfTable = (id: string) => answersTo(queryDataRows, { params: { id } });

interface TableInput {
  name: string;
  description: string;
  columns: DataColumnInput[];
}

export const useSaveDataTable = (id: string | undefined) =>
  useChange(
    (body: TableInput) =>
      id === undefined ? api(createDataTable, { body }) : api(updateDataTable, { params: { id }, body }),
    { renews: id === undefined ? TABLES : [...TABLES, rowsOfTable(id)] },
  );

export const useDeleteDataTable = () => useChange(callById(deleteDataTable), { renews: TABLES });

export interface RowView {
  filter: Record<string, unknown>;
  sort: string;
}

const PAGE = 200;

/** Rows of a view, page by page behind a cursor. */
export const useDataRows = (id: string, view: RowView) =>
  useInfiniteQuery({
    ...endpointPages(queryDataRows, {
      first: '',
      ask: (cursor) => ({
        params: { id },
        body: { filter: view.filter as Record<string, never>, sort: view.sort, limit: PAGE, cursor },
      }),
      next: (page) => page.next_cursor,
    }),
    placeholderData: keepPreviousData,
  });

const rowsAndTables = (id: string) => [rowsOfTable(id), ...TABLES];

export const useAddRow = (id: string) =>
  useChange((data: DataRow['data']) => api(createDataRow, { params: { id }, body: { data } }), {
    renews: rowsAndTables(id),
  });

/** Changes one cell; it is shown at once, and as before when the server refuses it. */
export function useChangeCell(id: string) {
  const client = useQueryClient();
  const show = (row_id: string, data: DataRow['data']) =>
    client.setQueriesData<InfiniteData<ResponseOf<typeof queryDataRows>>>(
      { queryKey: rowsOfTable(id) },
      (pages) =>
        pages && {
          ...pages,
          pages: pages.pages.map((page) => ({
            ...page,
            rows: page.rows.map((row) =>
              row.id === row_id ? { ...row, data: { ...row.data, ...data } } : row,
            ),
          })),
        },
    );
  return useChange(
    ({ row, data }: { row: DataRow; data: DataRow['data'] }) =>
      api(updateDataRow, { params: { id, row_id: row.id }, body: { data } }),
    {
      onMutate: ({ row, data }) => show(row.id, data),
      onSuccess: (row) => show(row.id, row.data),
      onError: (_, { row }) => show(row.id, row.data),
    },
  );
}

const AT_ONCE = 10_000;

export const useDeleteRows = (id: string) =>
  useChange(
    async (rows: readonly DataRow[]) => {
      for (let at = 0; at < rows.length; at += AT_ONCE) {
        const ids = rows.slice(at, at + AT_ONCE).map((row) => row.id);
        await api(bulkDeleteDataRows, { params: { id }, body: { ids } });
      }
    },
    { renewsEvenIfRefused: rowsAndTables(id) },
  );

/** Puts deleted rows back to their places. Throws when one cannot be. */
export const useRestoreRows = (id: string) =>
  useChange(
    async (rows: readonly DataRow[]) => {
      const body = rows.map((row) => ({ id: row.id, data: row.data }));
      const { errors } = await api(bulkInsertDataRows, { params: { id }, body });
      const [first] = errors;
      if (first) throw new Error(first.errors.join(', '));
    },
    { renewsEvenIfRefused: rowsAndTables(id) },
  );

export const exportRows = (id: string, name: string): Promise<void> =>
  downloadLarge(buildEndpointUrl(exportDataCsv, { params: { id } }), `${name}.csv`);

/** The beginning of a file is enough to show what is in it. */
const PREVIEW_BYTES = 256 * 1024;

export async function previewCsv(id: string, file: File): Promise<DataCsvPreview> {
  const form = new FormData();
  form.append('file', file.slice(0, PREVIEW_BYTES), file.name);
  const response = await sessionFetch(buildEndpointUrl(previewDataCsv, { params: { id } }), {
    method: 'POST',
    body: form,
  });
  if (!response.ok) throw await refusal(response);
  // Guarantee: the server answers by the contract, which this bundle does not hold.
  return (await response.json()) as DataCsvPreview;
}

export interface CsvUpload {
  file: File;
  mapping: Record<string, string | null>;
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

export const useImportCsv = (id: string) =>
  useChange(
    async ({ mapping, ...upload }: CsvUpload): Promise<DataImport> => {
      const fields = { mapping: JSON.stringify(mapping) };
      const answer = await sendInSession(buildEndpointUrl(importDataCsv, { params: { id } }), {
        ...upload,
        fields,
      });
      // Guarantee: the server answers by the contract, which this bundle does not hold.
      return JSON.parse(answer) as DataImport;
    },
    { renewsEvenIfRefused: rowsAndTables(id) },
  );
