import { createMasker } from '@millrace/engine';
import { LRUCache } from 'lru-cache';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { ChangeClock } from '../../ports/coordination/change-clock.ts';
import { NO_SECRETS, type SecretSet } from '../../ports/run/run-secrets.ts';

export interface SecretSetOptions {
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
  /** The credentials that the user can resolve, from the database. */
  readonly read: (user_id: string) => Promise<StoredSecrets>;
}

export interface StoredSecrets {
  /** Equal only when the values are. */
  readonly fingerprint: string;
  readonly values: () => Iterable<string>;
}

interface Known {
  readonly set: SecretSet;
  readonly fingerprint: string;
  /** Changes that had been seen before it was read. */
  readonly seen: number;
}

const MOST_USERS = 5_000;

function compiled(secrets: Iterable<string>): SecretSet {
  const values = new Set(secrets);
  const masker = createMasker([...values]);
  return values.size === 0 ? NO_SECRETS : { values, masker: masker.isEmpty ? undefined : masker };
}

/**
 * The secrets that masking hides from each user's runs (§5.8), read and compiled once per user: a run then starts
 * without looking at the database. A change of a credential, a share or a membership makes the set be read again, on
 * every process.
 */
export function createSecretSets({ broadcast, changes, read }: SecretSetOptions) {
  const sets = new LRUCache<string, Known>({ max: MOST_USERS });
  const reading = new Map<string, Promise<SecretSet>>();
  let generation = 0;

  function forget(subject: string): void {
    const [kind, user_id = ''] = subject.split(':');
    if (kind !== 'user') return;
    generation += 1;
    sets.delete(user_id);
    reading.clear();
  }

  async function load(user_id: string, seen: number): Promise<SecretSet> {
    const started = generation;
    const stored = await read(user_id);
    const { fingerprint } = stored;
    const known = sets.get(user_id);
    // The clock counts changes of all kinds, and most of them leave the credentials alone.
    const set = known?.fingerprint === fingerprint ? known.set : compiled(stored.values());
    // A change that came while the answer was on its way makes it an answer about the past.
    if (started === generation) sets.set(user_id, { set, fingerprint, seen });
    return set;
  }

  /** Runs that start together read once. */
  function loadOnce(user_id: string, seen: number): Promise<SecretSet> {
    const key = `${seen} ${user_id}`;
    const known = reading.get(key);
    if (known) return known;
    const loading = load(user_id, seen).finally(() => {
      if (reading.get(key) === loading) reading.delete(key);
    });
    reading.set(key, loading);
    return loading;
  }

  function at(user_id: string, seen: number): SecretSet | Promise<SecretSet> {
    const known = sets.get(user_id);
    return known?.seen === seen ? known.set : loadOnce(user_id, seen);
  }

  const end = broadcast.subscribe('access_changed', forget);

  return {
    /** Without a promise when the set is known. */
    of(user_id: string): SecretSet | Promise<SecretSet> {
      const looked = changes.current();
      return typeof looked === 'number' ? at(user_id, looked) : looked.then((seen) => at(user_id, seen));
    },
    close: end,
  };
}
