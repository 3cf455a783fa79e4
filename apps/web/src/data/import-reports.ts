import {
  convertWorkflow as convertContract,
  dismissImportReport,
  type ImportReport,
  readImportReport,
} from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { endpointQuery, useChange, useEndpoint } from './endpoint.ts';

/** The report of what the import of the workflow changed or left out; null when there is nothing to show. */
export const useImportReport = (id: string) =>
  useEndpoint(readImportReport, { params: { id } }, { select: ({ report }) => report });

/** The nodes of an exported file as they would be imported, also of n8n, and what was changed for that. */
export const convertWorkflow = (document: Record<string, unknown>) =>
  api(convertContract, { body: { document } });

/**
 * The report of nodes that got other ids.
 *
 * @param nodes as the report names them
 * @param ids of the same nodes now, in the same order
 */
export function withNodeIds(
  report: ImportReport,
  nodes: readonly { readonly id: string }[],
  ids: readonly string[],
): ImportReport {
  const now = new Map(nodes.map(({ id }, index) => [id, ids[index] ?? id]));
  const lines = report.lines.map((line) => ({
    ...line,
    node_id: now.get(line.node_id ?? '') ?? line.node_id,
  }));
  return { ...report, lines };
}

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
