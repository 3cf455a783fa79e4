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
  readDataTable,
  updateDataRow,
  updateDataTable,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, sessionFetch } from './api.ts';
import { downloadLarge } from './download.ts';
import { keys } from './keys.ts';
import { refusal } from './refusal.ts';
import { sendInSession } from './upload.ts';

export const useDataTables = () =>
  useQuery({ queryKey: keys.dataTables, queryFn: ({ signal }) => api(listDataTables, {}, { signal }) });

export const useDataTable = (id: string) =>
  useQuery({
    queryKey: keys.dataTable(id),
    queryFn: ({ signal }) => api(readDataTable, { params: { id } }, { signal }),
  });

/** All lists and tables, not the rows. */
const renewTables = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.dataTables });

interface TableInput {
  name: string;
  description: string;
  columns: DataColumnInput[];
}

export function useSaveDataTable(id: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: TableInput) =>
      id === undefined ? api(createDataTable, { body }) : api(updateDataTable, { params: { id }, body }),
    onSuccess: async (table) => {
      await renewTables(client);
      await client.invalidateQueries({ queryKey: keys.dataRows(table.id) });
    },
  });
}

export function useDeleteDataTable() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteDataTable, { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.dataTables, refetchType: 'active' }),
  });
}

export interface RowView {
  filter: Record<string, unknown>;
  sort: string;
}

const PAGE = 200;

type Page = Awaited<ReturnType<typeof fetchPage>>;

const fetchPage = (id: string, view: RowView, { cursor, signal }: { cursor: string; signal: AbortSignal }) =>
  api(
    queryDataRows,
    {
      params: { id },
      body: { filter: view.filter as Record<string, never>, sort: view.sort, limit: PAGE, cursor },
    },
    { signal },
  );

/** Rows of a view, page by page behind a cursor. */
export const useDataRows = (id: string, view: RowView) =>
  useInfiniteQuery({
    queryKey: keys.dataRowView(id, view),
    queryFn: ({ pageParam, signal }) => fetchPage(id, view, { cursor: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (former) => former,
  });

const renewRows = async (client: QueryClient, id: string): Promise<void> => {
  await client.invalidateQueries({ queryKey: keys.dataRows(id) });
  await renewTables(client);
};

export function useAddRow(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (data: DataRow['data']) => api(createDataRow, { params: { id }, body: { data } }),
    onSuccess: () => renewRows(client, id),
  });
}

/** Changes one cell; it is shown at once, and as before when the server refuses it. */
export function useChangeCell(id: string) {
  const client = useQueryClient();
  const show = (row_id: string, data: DataRow['data']) =>
    client.setQueriesData<InfiniteData<Page>>(
      { queryKey: keys.dataRows(id) },
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
  return useMutation({
    mutationFn: ({ row, data }: { row: DataRow; data: DataRow['data'] }) =>
      api(updateDataRow, { params: { id, row_id: row.id }, body: { data } }),
    onMutate: ({ row, data }) => show(row.id, data),
    onSuccess: (row) => show(row.id, row.data),
    onError: (_, { row }) => show(row.id, row.data),
  });
}

const AT_ONCE = 10_000;

export function useDeleteRows(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (rows: readonly DataRow[]) => {
      for (let at = 0; at < rows.length; at += AT_ONCE) {
        const ids = rows.slice(at, at + AT_ONCE).map((row) => row.id);
        await api(bulkDeleteDataRows, { params: { id }, body: { ids } });
      }
    },
    onSettled: () => renewRows(client, id),
  });
}

/** Puts deleted rows back to their places. Throws when one cannot be. */
export function useRestoreRows(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (rows: readonly DataRow[]) => {
      const body = rows.map((row) => ({ id: row.id, data: row.data }));
      const { errors } = await api(bulkInsertDataRows, { params: { id }, body });
      const [first] = errors;
      if (first) throw new Error(first.errors.join(', '));
    },
    onSettled: () => renewRows(client, id),
  });
}

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

export function useImportCsv(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ mapping, ...upload }: CsvUpload): Promise<DataImport> => {
      const fields = { mapping: JSON.stringify(mapping) };
      const answer = await sendInSession(buildEndpointUrl(importDataCsv, { params: { id } }), {
        ...upload,
        fields,
      });
      // Guarantee: the server answers by the contract, which this bundle does not hold.
      return JSON.parse(answer) as DataImport;
    },
    onSettled: () => renewRows(client, id),
  });
}
