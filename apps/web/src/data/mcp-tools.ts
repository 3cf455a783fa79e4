import { fetchMcpTools } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const FRESH_MS = 5 * 60_000;

/** The tools of a server; asked again after five minutes, for servers change by themselves. */
export function useMcpTools(connection: JsonObject | undefined, wanted: boolean) {
  return useQuery({
    queryKey: [...keys.mcpTools, connection],
    queryFn: ({ signal }) => api(fetchMcpTools, { body: { connection: connection ?? {} } }, { signal }),
    enabled: wanted && connection !== undefined,
    retry: false,
    staleTime: FRESH_MS,
    select: ({ tools }) => tools,
  });
}
