import { dismissImportReport, type ImportReport, readImportReport } from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** The report of what the import of the workflow changed or left out; null when there is nothing to show. */
export const useImportReport = (id: string) =>
  useQuery({
    queryKey: keys.importReport(id),
    queryFn: async ({ signal }): Promise<ImportReport | null> =>
      (await api(readImportReport, { params: { id } }, { signal })).report,
  });

export function useDismissImportReport(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api(dismissImportReport, { params: { id } }),
    onSuccess: async () => {
      // An answer that is under way would bring it back.
      await client.cancelQueries({ queryKey: keys.importReport(id) });
      client.setQueryData<ImportReport | null>(keys.importReport(id), null);
    },
  });
}
