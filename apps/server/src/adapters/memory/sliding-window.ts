import { LRUCache } from 'lru-cache';
import type { WindowCount } from '../../ports/coordination/shared-store.ts';

/** Times of the calls that count, oldest first; entries before `first` have left the window. */
interface Calls {
  times: number[];
  first: number;
}

/** Clients whose windows are kept; the one that was silent longest goes first. */
const MAX_KEYS = 100_000;

function dropOld(calls: Calls, before: number): void {
  while (calls.first < calls.times.length && (calls.times[calls.first] ?? 0) <= before) calls.first++;
  // Shifting once half of the list is old keeps the cost per call constant.
  if (calls.first > 32 && calls.first * 2 > calls.times.length) {
    calls.times = calls.times.slice(calls.first);
    calls.first = 0;
  }
}

/** A sliding window of exact call times (§8.1), per process. */
export function createSlidingWindow(now: () => number) {
  const windows = new LRUCache<string, Calls>({ max: MAX_KEYS });
  return {
    count(key: string, limit: number, window_seconds: number): WindowCount {
      const at = now();
      const window_ms = window_seconds * 1000;
      const calls = windows.get(key) ?? { times: [], first: 0 };
      dropOld(calls, at - window_ms);
      const allowed = calls.times.length - calls.first < limit;
      if (allowed) calls.times.push(at);
      windows.set(key, calls);
      const oldest = calls.times[calls.first] ?? at;
      return {
        allowed,
        remaining: Math.max(0, limit - (calls.times.length - calls.first)),
        reset_seconds: Math.max(0, Math.ceil((oldest + window_ms - at) / 1000)),
      };
    },
    forget(prefix: string): void {
      for (const key of Array.from(windows.keys())) if (key.startsWith(prefix)) windows.delete(key);
    },
  };
}
