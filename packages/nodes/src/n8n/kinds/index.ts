import type { Kind } from '../kind.ts';
import { ai } from './ai.ts';
import { data } from './data.ts';
import { flow } from './flow.ts';
import { http } from './http.ts';
import { services } from './services.ts';
import { triggers } from './triggers.ts';

const KINDS: Readonly<Record<string, Kind>> = {
  ...triggers,
  ...flow,
  ...data,
  ...services,
  ...ai,
  httpRequest: http,
};

/** Types of n8n, without their package, that have an equal here. */
export const kindNames: readonly string[] = Object.keys(KINDS);

/** How nodes of a type of n8n become nodes here; undefined for types that have no equal. */
export function kindOf(type: string): Kind | undefined {
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}
