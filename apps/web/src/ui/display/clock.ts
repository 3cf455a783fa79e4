import { useSyncExternalStore } from 'react';

const STEP_MS = 30_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, renewed twice a minute: one timer however many relative times are on the page. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => now);
  // A page that was idle longer than a step must not count from a stale value.
  return Math.max(now, Date.now() - STEP_MS);
}
