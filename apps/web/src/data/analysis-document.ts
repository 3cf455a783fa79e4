import { type AnalysisDocument, readAnalysisDocument, writeAnalysisDocument } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, api } from './api.ts';
import { endpointQuery, useChange, useEndpoint } from './endpoint.ts';

/** The analysis document of a workflow (§5.8), shared by all users who have access to it. */
export const useAnalysisDocument = (id: string) => useEndpoint(readAnalysisDocument, { params: { id } });

export function useWriteAnalysisDocument(id: string) {
  const client = useQueryClient();
  return useChange(
    (body: { content: string; base_revision: number }) =>
      api(writeAnalysisDocument, { params: { id }, body }),
    {
      onSuccess: (document) =>
        client.setQueryData(endpointQuery(readAnalysisDocument, { params: { id } }).queryKey, document),
    },
  );
}

/** The document that another user wrote in the meantime, when that is why a write was refused. */
export function newerDocument(error: unknown): AnalysisDocument | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const detail = error.body?.detail;
  return typeof detail === 'object' && !Array.isArray(detail) && 'revision' in detail
    ? (detail as AnalysisDocument)
    : undefined;
}
