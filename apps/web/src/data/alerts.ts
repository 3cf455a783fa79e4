import { createAlert, deleteAlert, listAlerts, type Sent, updateAlert } from '@millrace/contracts';
import { api } from './api.ts';
import { callById, useChange, useEndpoint } from './endpoint.ts';

const LOOK_EVERY_MS = 10_000;

export type AlertBody = Sent<typeof createAlert>['body'];

/** Alerts of the user, kept up to date while they are shown. */
export const useAlerts = () => useEndpoint(listAlerts, {}, { refetchInterval: LOOK_EVERY_MS });

const changed = { renews: [listAlerts] };

/** Creates an alert, or replaces the one with that id. */
export const useSaveAlert = () =>
  useChange(
    ({ id, body }: { id?: string | undefined; body: AlertBody }) =>
      id === undefined ? api(createAlert, { body }) : api(updateAlert, { params: { id }, body }),
    changed,
  );

export const useDeleteAlert = () => useChange(callById(deleteAlert), changed);
