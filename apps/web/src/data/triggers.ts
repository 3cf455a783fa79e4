import { listSchedules, listTriggers, pauseTrigger, resumeTrigger, runTrigger } from '@millrace/contracts';
import { keepPreviousData } from '@tanstack/react-query';
import { api } from './api.ts';
import { useChange, useEndpoint } from './endpoint.ts';
import { RUNS } from './runs.ts';

/** Triggers that one list shows. */
const MOST = 1_000;
const LOOK_EVERY_MS = 5_000;
const SCHEDULES_EVERY_MS = 30_000;

/** All triggers that the user can see, kept up to date. */
export const useTriggers = () =>
  useEndpoint(listTriggers, { query: { limit: MOST } }, { refetchInterval: LOOK_EVERY_MS });

interface TriggerNode {
  workflow_id: string;
  node_id: string;
}

const toParams = ({ workflow_id, node_id }: TriggerNode) => ({ id: workflow_id, node_id });

export const usePauseTrigger = () =>
  useChange(
    ({ is_paused, ...node }: TriggerNode & { is_paused: boolean }) =>
      api(is_paused ? pauseTrigger : resumeTrigger, { params: toParams(node) }),
    { renewsEvenIfRefused: [listTriggers, listSchedules] },
  );

export const useRunTrigger = () =>
  useChange((node: TriggerNode) => api(runTrigger, { params: toParams(node) }), { renews: RUNS });

/** Due times from one moment to another, both ISO 8601; the former ones stay while the next are on their way. */
export const useSchedules = (query: { start: string; end: string; include_shared: string }) =>
  useEndpoint(
    listSchedules,
    { query },
    { placeholderData: keepPreviousData, refetchInterval: SCHEDULES_EVERY_MS },
  );
