import { createAlert, deleteAlert, listAlerts, type Sent, updateAlert } from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const LOOK_EVERY_MS = 10_000;

export type AlertBody = Sent<typeof createAlert>['body'];

/** Alerts of the user, kept up to date while they are shown. */
export const useAlerts = () =>
  useQuery({
    queryKey: keys.alerts,
    queryFn: ({ signal }) => api(listAlerts, {}, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });

/** Creates an alert, or replaces the one with that id. */
export function useSaveAlert() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id?: string | undefined; body: AlertBody }) =>
      id === undefined ? api(createAlert, { body }) : api(updateAlert, { params: { id }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts }),
  });
}

export function useDeleteAlert() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteAlert, { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.alerts }),
  });
}
