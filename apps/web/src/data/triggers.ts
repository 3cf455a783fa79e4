import { listSchedules, listTriggers, pauseTrigger, resumeTrigger, runTrigger } from '@millrace/contracts';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** Triggers that one list shows. */
const MOST = 1_000;
const LOOK_EVERY_MS = 5_000;
const SCHEDULES_EVERY_MS = 30_000;

/** All triggers that the user can see, kept up to date. */
export const useTriggers = () =>
  useQuery({
    queryKey: keys.triggers,
    queryFn: ({ signal }) => api(listTriggers, { query: { limit: MOST } }, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });

interface TriggerNode {
  workflow_id: string;
  node_id: string;
}

const toParams = ({ workflow_id, node_id }: TriggerNode) => ({ id: workflow_id, node_id });

export function usePauseTrigger() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ is_paused, ...node }: TriggerNode & { is_paused: boolean }) =>
      api(is_paused ? pauseTrigger : resumeTrigger, { params: toParams(node) }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.triggers }),
        client.invalidateQueries({ queryKey: keys.schedules }),
      ]),
  });
}

export function useRunTrigger() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (node: TriggerNode) => api(runTrigger, { params: toParams(node) }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** Due times from one moment to another, both ISO 8601; the former ones stay while the next are on their way. */
export const useSchedules = (query: { start: string; end: string; include_shared: string }) =>
  useQuery({
    queryKey: [...keys.schedules, query],
    queryFn: ({ signal }) => api(listSchedules, { query }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: SCHEDULES_EVERY_MS,
  });
