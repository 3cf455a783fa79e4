import {
  convertWorkflow as convertContract,
  dismissImportReport,
  readImportReport,
} from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { endpointQuery, useChange, useEndpoint } from './endpoint.ts';

/** The report of what the import of the workflow changed or left out; null when there is nothing to show. */
export const useImportReport = (id: string) =>
  useEndpoint(readImportReport, { params: { id } }, { select: ({ report }) => report });

/** The nodes of an exported file as they would be imported, also of n8n, and what was changed for that. */
export const convertWorkflow = (document: Record<string, unknown>, signal: AbortSignal) =>
  api(convertContract, { body: { document } }, { signal });

export function useDismissImportReport(id: string) {
  const client = useQueryClient();
  const { queryKey } = endpointQuery(readImportReport, { params: { id } });
  return useChange(() => api(dismissImportReport, { params: { id } }), {
    onSuccess: async () => {
      // An answer that is under way would bring it back.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, { report: null });
    },
  });
}
