import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Broadcast } from './broadcast.ts';

/** Two ends of one broadcast, as two processes have them; the same end twice where there can be only one process. */
export interface BroadcastPair {
  readonly here: Broadcast;
  readonly there: Broadcast;
  close(): Promise<void>;
}

const WITHIN = { timeout: 10_000 };

/** The behaviour of every broadcast. */
export function describeBroadcast(name: string, open: () => Promise<BroadcastPair>): void {
  describe(`broadcast: ${name}`, () => {
    let pair: BroadcastPair;
    beforeEach(async () => {
      pair = await open();
    });
    afterEach(() => pair.close());

    test('a hint reaches the process that gave it and the other one, once each', async () => {
      const here = vi.fn<(payload: string) => void>();
      const there = vi.fn<(payload: string) => void>();
      pair.here.subscribe('cancel', here);
      pair.there.subscribe('cancel', there);
      pair.here.publish('cancel', 'run-1');
      await vi.waitFor(() => expect(there).toHaveBeenCalledWith('run-1'), WITHIN);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([here.mock.calls, there.mock.calls]).toEqual([[['run-1']], [['run-1']]]);
    });

    test('a hint arrives on its own channel only, and not after the subscription has ended', async () => {
      const ended = vi.fn<(payload: string) => void>();
      const other = vi.fn<(payload: string) => void>();
      const expected = vi.fn<(payload: string) => void>();
      pair.there.subscribe('wake', ended)();
      pair.there.subscribe('decided', other);
      pair.there.subscribe('wake', expected);
      pair.here.publish('wake', 'x');
      await vi.waitFor(() => expect(expected).toHaveBeenCalledOnce(), WITHIN);
      expect(ended).not.toHaveBeenCalled();
      expect(other).not.toHaveBeenCalled();
    });

    test('many different hints all arrive', async () => {
      const seen = new Set<string>();
      pair.there.subscribe('decided', (payload) => seen.add(payload));
      const payloads = Array.from(
        { length: 500 },
        (_, at) => `0198c1d2-0000-7000-8000-${String(at).padStart(12, '0')}`,
      );
      for (const payload of payloads) pair.here.publish('decided', payload);
      await vi.waitFor(() => expect(seen.size).toBe(500), WITHIN);
    });

    test('text of any kind arrives as it was', async () => {
      const seen: string[] = [];
      pair.there.subscribe('access_changed', (payload) => seen.push(payload));
      pair.here.publish('access_changed', `user:"quoted" 'text' \u2028 \u{1f600} $1`);
      await vi.waitFor(() => expect(seen).toEqual([`user:"quoted" 'text' \u2028 \u{1f600} $1`]), WITHIN);
    });
  });
}
