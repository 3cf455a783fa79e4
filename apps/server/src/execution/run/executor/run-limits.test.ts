import { expect, test, vi } from 'vitest';
import { RunLimits } from './run-limits.ts';

const DAY_MS = 86_400_000;

test('a time limit beyond what one timer counts to ends the run when it is reached, and not before', () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const onStop = vi.fn();
    const limits = new RunLimits({
      now: Date.now,
      deadline_at_ms: 30 * DAY_MS,
      parent_signal: undefined,
      onStop,
      onHandOver: () => undefined,
    });
    limits.watch();
    vi.advanceTimersByTime(29.9 * DAY_MS);
    expect([limits.reason, onStop.mock.calls.length]).toEqual([false, 0]);
    vi.advanceTimersByTime(0.1 * DAY_MS);
    expect(limits.reason).toMatchObject({ kind: 'timeout' });
    expect(onStop).toHaveBeenCalledOnce();
    limits.close();
  } finally {
    vi.useRealTimers();
  }
});
