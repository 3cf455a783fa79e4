import { evaluate, type Json, type Scope } from '@millrace/engine';
import { toCanonicalKey } from '../values/list/items.ts';

/** How a trigger recognises events that say the same. */
export interface EventKey {
  readonly expression: string;
  readonly window_ms: number;
}

/** Undefined for triggers that are not set to, and for types that do not offer it. */
export function readEventKey(params: Readonly<Record<string, unknown>>): EventKey | undefined {
  const { deduplicateBy: expression, deduplicateMinutes: minutes } = params;
  if (typeof expression !== 'string' || expression === '' || typeof minutes !== 'number') return undefined;
  return { expression, window_ms: minutes * 60_000 };
}

/** Nothing that distinguishes one event from another. */
function isBlank(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isBlank);
}

/**
 * A text that is the same for events with the same value; undefined for one without a value.
 *
 * @throws ExpressionError for a value that cannot be computed
 */
export function eventKey(
  { expression }: Pick<EventKey, 'expression'>,
  input: Json,
  scope: Omit<Scope, 'lookup'>,
): string | undefined {
  const value = evaluate(expression, 'raw', {
    ...scope,
    lookup: (name) => (name === 'input' ? input : undefined),
  });
  // Expressions yield plain JSON.
  const key = (value ?? null) as Json;
  return isBlank(key) ? undefined : toCanonicalKey(key);
}
