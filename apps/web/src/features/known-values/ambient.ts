import { listCredentials, listGlobalVariables, readTimeZone } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import { useMemo } from 'react';
import { useEndpoint } from '../../data/endpoint.ts';
import { useOpenDocument } from '../document/context.ts';

const FRESH_MS = 30_000;

/** The values that an expression may read besides the nodes before it. */
export interface Ambient {
  readonly global: Readonly<Record<string, Json>>;
  /** Names only: what a credential holds never reaches the browser. */
  readonly credentials: Readonly<Record<string, string>>;
  /** IANA zone of the server, in which expressions write times. */
  readonly time_zone: string;
  readonly workflow_name: string;
}

/** IANA zone of the server. */
export const useServiceZone = () =>
  useEndpoint(
    readTimeZone,
    {},
    { select: ({ time_zone }) => time_zone, staleTime: Number.POSITIVE_INFINITY },
  );

/** Shown where a run has the secret. */
const HIDDEN = '••••••';

/** Own entries come before shared ones and win. */
function byName<T extends { name: string }, V>(list: readonly T[], valueOf: (item: T) => V) {
  const found: Record<string, V> = Object.create(null);
  for (const item of list) if (!(item.name in found)) found[item.name] = valueOf(item);
  return found;
}

const NONE: readonly never[] = [];

/** Shown until the zone of the server is known; to ask for it takes as long as drawing a field. */
const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function useAmbient(): Ambient {
  const { workflow_name } = useOpenDocument();
  const { data: globals = NONE } = useEndpoint(listGlobalVariables, {}, { staleTime: FRESH_MS });
  const { data: credentials = NONE } = useEndpoint(listCredentials, {}, { staleTime: FRESH_MS });
  const { data: time_zone = BROWSER_ZONE } = useServiceZone();
  return useMemo(
    () => ({
      global: byName(globals, ({ value }) => value as Json),
      credentials: byName(credentials, () => HIDDEN),
      time_zone,
      workflow_name,
    }),
    [globals, credentials, time_zone, workflow_name],
  );
}
