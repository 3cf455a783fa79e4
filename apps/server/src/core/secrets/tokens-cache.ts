import { LRUCache } from 'lru-cache';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { ChangeClock } from '../../ports/coordination/change-clock.ts';
import { tokenDigest } from './tokens.ts';

/** A verified token. */
export interface VerifiedToken<Value> {
  readonly value: Value;
  /** Epoch seconds. */
  readonly exp: number;
  /** Whose change makes the verdict void: `user:<id>`, `workflow:<id>`. */
  readonly subjects: readonly string[];
}

interface Entry<Value> extends VerifiedToken<Value> {
  /** Hints, and changes of the clock, that had been seen before the facts were read. */
  readonly sequence: number;
  readonly seen: number;
}

export interface TokenCacheOptions {
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface TokenCache<Value> {
  /** The verdict about a token, from memory while it is fresh, else from `verify`. Refusals are not kept. */
  read(
    token: string,
    verify: () => Promise<VerifiedToken<Value> | undefined>,
  ): Promise<VerifiedToken<Value> | undefined>;
}

const MAX_TOKENS = 20_000;
const MAX_SUBJECTS = 20_000;
/**
 * Remembers verified tokens by digest, so that a request needs neither a signature check nor the database. An
 * `access_changed` hint voids what was read before it, also what was still being read when it came; so does a change that follows from the clock.
 */
export function createTokenCache<Value>({ broadcast, changes, now }: TokenCacheOptions): TokenCache<Value> {
  const entries = new LRUCache<string, Entry<Value>>({ max: MAX_TOKENS });
  const hints = new Map<string, number>();
  let sequence = 0;
  let floor = 0;
  broadcast.subscribe('access_changed', (subject) => {
    sequence += 1;
    if (hints.size >= MAX_SUBJECTS) {
      hints.clear();
      floor = sequence;
    }
    hints.set(subject, sequence);
  });

  const isVoid = (entry: Entry<Value>) =>
    entry.sequence < floor ||
    entry.seen !== changes.seen ||
    entry.exp * 1000 <= now() ||
    entry.subjects.some((subject) => (hints.get(subject) ?? 0) > entry.sequence);

  return {
    async read(token, verify) {
      const key = tokenDigest(token);
      const known = entries.get(key);
      if (known && !isVoid(known)) return known;
      if (known) entries.delete(key);
      const before = { sequence, seen: changes.seen };
      const verified = await verify();
      if (verified) entries.set(key, { ...verified, ...before });
      return verified;
    },
  };
}
