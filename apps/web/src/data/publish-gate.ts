import {
  type PublishGate,
  readPublishGate,
  runPublishGate,
  type Sent,
  setPublishGate,
  type Workflow,
} from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, api } from './api.ts';
import { answersTo, endpointQuery, useChange, useEndpoint } from './endpoint.ts';

/** How often evals that are under way are read again. */
const LOOK_MS = 1_500;

export type GateSuiteInput = Sent<typeof setPublishGate>['body']['suites'][number];

export const isRunning = ({ suites }: PublishGate): boolean =>
  suites.some(({ state }) => state === 'running');

/** Everything that has to pass before the draft, as the server has it, is published; read again while evals run on it. */
export const usePublishGate = (
  { id, updated_at }: Pick<Workflow, 'id' | 'updated_at'>,
  enabled: boolean = true,
) =>
  useEndpoint(
    readPublishGate,
    { params: { id } },
    {
      edition: updated_at,
      refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? LOOK_MS : false),
      // Suites change on other pages, and their runs in the background.
      staleTime: 0,
      enabled,
    },
  );

/** Starts the evals that have not passed on the draft. */
export function useRunPublishGate({ id, updated_at }: Pick<Workflow, 'id' | 'updated_at'>) {
  const client = useQueryClient();
  const shown = endpointQuery(readPublishGate, { params: { id } }, { edition: updated_at });
  return useChange(() => api(runPublishGate, { params: { id } }), {
    onSuccess: (gate) => client.setQueryData(shown.queryKey, gate),
  });
}

export const useSetPublishGate = (id: string) =>
  useChange((suites: GateSuiteInput[]) => api(setPublishGate, { params: { id }, body: { suites } }), {
    renews: [answersTo(readPublishGate, { params: { id } })],
  });

/** Whether a draft was refused because its evals have not passed. */
export function isHeldByGate(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 409) return false;
  const detail = error.body?.detail;
  return typeof detail === 'object' && !Array.isArray(detail) && 'publish_gate' in detail;
}
