import { MEGABYTE } from '@millrace/engine/units';
import { LRUCache } from 'lru-cache';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import { createSlidingWindow } from './sliding-window.ts';

const MAX_BYTES = 64 * MEGABYTE;
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_ENTRY = 200;

interface Kept {
  readonly value: string;
  readonly expires_at: number;
}

/** The shared store of a single process: bounded, gone at its end. */
export function createMemoryStore(now: () => number): SharedStore {
  const values = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ value }, key) => BYTES_PER_ENTRY + (value.length + key.length) * BYTES_PER_CHARACTER,
  });
  const windows = createSlidingWindow(now);
  function read(key: string): string | undefined {
    const kept = values.get(key);
    if (!kept || kept.expires_at > now()) return kept?.value;
    values.delete(key);
    return undefined;
  }
  return {
    get: (key) => Promise.resolve(read(key)),
    take(key) {
      const value = read(key);
      values.delete(key);
      return Promise.resolve(value);
    },
    set(key, value, ttl_seconds) {
      values.set(key, { value, expires_at: now() + ttl_seconds * 1000 });
      return Promise.resolve();
    },
    forget(prefix) {
      for (const key of Array.from(values.keys())) if (key.startsWith(prefix)) values.delete(key);
      windows.forget(prefix);
      return Promise.resolve();
    },
    countInWindow: (key, limit, window_seconds) => windows.count(key, limit, window_seconds),
    close: () => Promise.resolve(),
  };
}
