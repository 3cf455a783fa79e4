import type { Scope } from './context.ts';

export interface ScopeSources {
  /** Top-level names to values. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly now: () => number;
  readonly uuid: () => string;
  readonly random: () => number;
  readonly timezone?: string;
}

/** A scope over a plain object of names. */
export function createScope(sources: ScopeSources): Scope {
  const { values, now, uuid, random, timezone = 'UTC' } = sources;
  return {
    lookup: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    now,
    uuid,
    random,
    timezone,
  };
}
