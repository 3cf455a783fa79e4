import { LRUCache } from 'lru-cache';
import type { ChangeClock } from '../ports/coordination/change-clock.ts';

interface Fact<T> {
  readonly value: T;
  /** Changes that had been seen before it was read. */
  readonly seen: number;
}

/**
 * Facts from the database that are read once and kept until something has changed that they may depend on. Each belongs to a
 * group and has a key within it; the groups that were used last are kept.
 */
export class FactCache<T> {
  readonly #groups: LRUCache<string, Map<string, Fact<T>>>;
  readonly #changes: Pick<ChangeClock, 'seen'>;
  #generation = 0;

  constructor(changes: Pick<ChangeClock, 'seen'>, most_groups: number) {
    this.#changes = changes;
    this.#groups = new LRUCache({ max: most_groups });
  }

  /** At once where the fact is known, otherwise once it was read. */
  get(group: string, key: string, read: () => Promise<T>): T | Promise<T> {
    const fact = this.#groups.get(group)?.get(key);
    return fact?.seen === this.#changes.seen ? fact.value : this.#read(group, key, read);
  }

  forgetGroup(group: string): void {
    this.#generation += 1;
    this.#groups.delete(group);
  }

  /** Forgets the key in every group. */
  forgetKey(key: string): void {
    this.#generation += 1;
    for (const facts of this.#groups.values()) facts.delete(key);
  }

  async #read(group: string, key: string, read: () => Promise<T>): Promise<T> {
    const started = this.#generation;
    const { seen } = this.#changes;
    const value = await read();
    // A change that came while the answer was on its way makes it an answer about the past.
    if (started === this.#generation) {
      const facts = this.#groups.get(group) ?? new Map<string, Fact<T>>();
      facts.set(key, { value, seen });
      this.#groups.set(group, facts);
    }
    return value;
  }
}
