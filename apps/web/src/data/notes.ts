import { type AnalysisNote, readAnalysisNote, writeAnalysisNote } from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api } from './api.ts';
import { keys } from './keys.ts';

/** The notes of a workflow (§5.8), shared by everybody who has access to it. */
export const useNote = (id: string) =>
  useQuery({
    queryKey: keys.note(id),
    queryFn: ({ signal }) => api(readAnalysisNote, { params: { id } }, { signal }),
  });

export function useWriteNote(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { content: string; base_revision: number }) =>
      api(writeAnalysisNote, { params: { id }, body }),
    onSuccess: (note) => client.setQueryData<AnalysisNote>(keys.note(id), note),
  });
}

/** What somebody else wrote in the meantime, when that is why a write was refused. */
export function newerNote(error: unknown): AnalysisNote | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const detail = error.body?.detail;
  return typeof detail === 'object' && !Array.isArray(detail) && 'revision' in detail
    ? (detail as AnalysisNote)
    : undefined;
}
