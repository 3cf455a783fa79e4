/** Longest time that a timer of the platform can count. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function timer(ms: number, signal: AbortSignal): Promise<'done' | 'cancelled'> {
  if (signal.aborted) return Promise.resolve('cancelled');
  return new Promise((resolve) => {
    const onAbort = () => {
      clearTimeout(handle);
      resolve('cancelled');
    };
    const handle = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve('done');
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits, unless the signal ends the wait. */
export async function sleep(ms: number, signal: AbortSignal): Promise<'done' | 'cancelled'> {
  for (let left = ms; left > MAX_TIMER_MS; left -= MAX_TIMER_MS) {
    if ((await timer(MAX_TIMER_MS, signal)) === 'cancelled') return 'cancelled';
    if (left - MAX_TIMER_MS <= MAX_TIMER_MS) return timer(left - MAX_TIMER_MS, signal);
  }
  return timer(Math.max(0, ms), signal);
}

/** Resolves at that epoch millisecond, at once when it has passed; rejects when the signal aborts. */
export async function sleepUntil(epoch_ms: number, signal: AbortSignal, now: () => number): Promise<void> {
  const left = epoch_ms - now();
  if (left <= 0) return;
  if ((await sleep(left, signal)) === 'cancelled') throw signal.reason;
}

/** Lets all other work have a turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
