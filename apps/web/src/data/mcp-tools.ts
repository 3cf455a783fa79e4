import { fetchMcpTools } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { useEndpoint } from './endpoint.ts';

const FRESH_MS = 5 * 60_000;

/** The tools of a server; asked again after five minutes, for servers change by themselves. */
export const useMcpTools = (connection: JsonObject | undefined, wanted: boolean) =>
  useEndpoint(
    fetchMcpTools,
    { body: { connection: connection ?? {} } },
    {
      enabled: wanted && connection !== undefined,
      retry: false,
      staleTime: FRESH_MS,
      select: ({ tools }) => tools,
    },
  );
