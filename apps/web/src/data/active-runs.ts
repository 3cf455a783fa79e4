import { listActiveExecutions } from '@millrace/contracts';
import { useEndpoint } from './endpoint.ts';

const WATCHED_MS = 3_000;
const GLANCED_MS = 10_000;

/** Runs that have not ended, kept fresh while they are on screen. */
export const useActiveRuns = () => useEndpoint(listActiveExecutions, {}, { refetchInterval: WATCHED_MS });

/** How many runs have not ended, for the sidebar. */
export const useActiveRunCount = (): number =>
  useEndpoint(listActiveExecutions, {}, { select: (runs) => runs.length, refetchInterval: GLANCED_MS })
    .data ?? 0;
