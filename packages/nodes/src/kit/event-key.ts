import { compile, evaluate, field, type Json, type JsonObject, type Scope } from '@millrace/engine';
import { z } from 'zod';
import { keyOf } from './list/items.ts';
import { numeric } from './numeric.ts';

/** 30 days. */
const MOST_MINUTES = 30 * 24 * 60;
const DAY_MINUTES = 24 * 60;

/** What there is to read when an event arrives: there is no run yet, so no other node and no variable. */
const READABLE = new Set(['input', 'now']);

/**
 * A text that would be the same for every event must be refused, for then all but the first would start no run. One that is
 * not a single expression is read as text, in which a missing value stays as it is written.
 */
function isEventKey(text: string): boolean {
  const { problems, keepsType, references } = compile(text, 'raw');
  const names = references.map(({ name }) => name);
  return (
    problems.length === 0 && keepsType && names.includes('input') && names.every((name) => READABLE.has(name))
  );
}

/** Parameters with which a trigger recognises events that say the same. */
export const eventKeyFields = (placeholder: string) => ({
  deduplicateBy: field
    .custom(
      z
        .string()
        .trim()
        .refine((text) => text === '' || isEventKey(text), {
          error: `must be one expression that reads only $input, such as ${placeholder}`,
        }),
      'Deduplicate by',
      {
        kind: 'event_key',
        group: 'Duplicates',
        placeholder,
        help: 'Of events with the same value, only the first within the window starts a run. An event without a value always starts one.',
      },
    )
    .default(''),
  deduplicateMinutes: numeric('Window in minutes', {
    group: 'Duplicates',
    min: 1,
    max: MOST_MINUTES,
    help: 'From the event that started the run.',
  }).default(DAY_MINUTES),
});

/** How a trigger recognises events that say the same. */
export interface EventKey {
  readonly expression: string;
  readonly window_ms: number;
}

/** Undefined for triggers that are not set to, and for types that do not offer it. */
export function eventKeyOf(params: Readonly<Record<string, unknown>>): EventKey | undefined {
  const { deduplicateBy: expression, deduplicateMinutes: minutes } = params;
  if (typeof expression !== 'string' || expression === '' || typeof minutes !== 'number') return undefined;
  return { expression, window_ms: minutes * 60_000 };
}

/** Nothing that tells one event from another. */
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
  { expression }: EventKey,
  input: JsonObject,
  scope: Omit<Scope, 'lookup'>,
): string | undefined {
  const value = evaluate(expression, 'raw', {
    ...scope,
    lookup: (name) => (name === 'input' ? input : undefined),
  });
  // Expressions yield plain JSON.
  const key = (value ?? null) as Json;
  return isBlank(key) ? undefined : keyOf(key);
}
