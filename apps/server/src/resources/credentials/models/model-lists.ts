import type { ListedModel } from '@millrace/models';
import { LRUCache } from 'lru-cache';
import type { CredentialRow } from '../queries.ts';

const KEPT_MS = 10 * 60_000;
const MOST_LISTS = 500;

export interface Wanted {
  readonly credential: Pick<CredentialRow, 'id' | 'updated_at'>;
  /** Asks the provider in any case, and keeps what it answers. */
  readonly is_fresh: boolean;
}

/**
 * Lists of models as providers gave them for a credential, kept by this process for ten minutes or until the credential
 * changes. Failures are not kept. Callers check that the person may use the credential.
 */
export class ModelLists {
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, { readonly models: Promise<ListedModel[]>; readonly at_ms: number }>({
    max: MOST_LISTS,
  });

  constructor(now: () => number) {
    this.#now = now;
  }

  async of({ credential, is_fresh }: Wanted, ask: () => Promise<ListedModel[]>): Promise<ListedModel[]> {
    const key = `${credential.id} ${credential.updated_at.getTime()}`;
    const kept = this.#kept.get(key);
    if (kept && !is_fresh && this.#now() - kept.at_ms < KEPT_MS) return kept.models;
    // The question is kept before its answer, for those that ask meanwhile.
    const asked = { models: ask(), at_ms: this.#now() };
    this.#kept.set(key, asked);
    try {
      return await asked.models;
    } catch (error) {
      if (this.#kept.get(key) === asked) {
        // A refresh that fails leaves what was there.
        if (kept) this.#kept.set(key, kept);
        else this.#kept.delete(key);
      }
      throw error;
    }
  }
}
