import { describe, expect, test } from 'vitest';
import { sleep, sleepUntil } from './sleep.ts';

const now = () => 1_000;

describe('sleepUntil', () => {
  test('resolves at once when the time has passed, also under an ended signal', async () => {
    await expect(sleepUntil(1_000, AbortSignal.abort(), now)).resolves.toBeUndefined();
  });

  test('rejects with the reason of a signal that ends meanwhile', async () => {
    const controller = new AbortController();
    const waiting = sleepUntil(61_000, controller.signal, now);
    const reason = new Error('over');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('rejects under a signal that has ended before', async () => {
    await expect(sleepUntil(61_000, AbortSignal.abort(), now)).rejects.toMatchObject({ name: 'AbortError' });
  });

  // A timer of the platform that is asked for more than it can count fires at once.
  test('waits for years without waking early', async () => {
    const controller = new AbortController();
    const waiting = sleepUntil(1_000 + 2 ** 40, controller.signal, now);
    const first = await Promise.race([
      waiting.then(() => 'woke'),
      sleep(30, new AbortController().signal).then(() => 'still asleep'),
    ]);
    controller.abort();
    await waiting.catch(() => undefined);
    expect(first).toBe('still asleep');
  });
});
