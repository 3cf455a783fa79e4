import { NodeFailure } from '@millrace/engine';
import { afterEach, expect, test, vi } from 'vitest';
import { Slots } from './slots.ts';

afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

/** Takes a place until the returned function is called. */
function occupy(slots: Slots): () => void {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  void slots.use(never, () => left);
  return () => leave();
}

test('who waits gets the place that is freed, in order', async () => {
  const slots = new Slots(1);
  const leave = occupy(slots);
  const order: string[] = [];
  const both = ['a', 'b'].map((name) =>
    slots.use(never, async () => void order.push(name), { longest_ms: 5_000 }),
  );
  expect(order).toEqual([]);
  leave();
  await Promise.all(both);
  expect(order).toEqual(['a', 'b']);
});

test('who has waited for too long is told how many are in use, and takes no place later', async () => {
  const slots = new Slots(1);
  const leave = occupy(slots);
  vi.useFakeTimers();
  const impatient = slots.use(never, async () => 'in', { longest_ms: 20_000 });
  impatient.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(20_000);
  await expect(impatient).rejects.toThrow(NodeFailure);
  await expect(impatient).rejects.toThrow(
    'no container was free within 20 s; all 1 that SANDBOX_CONCURRENCY allows are in use',
  );
  leave();
  expect(await slots.use(never, async () => 'in')).toBe('in');
});

test('who gives up while waiting leaves the line', async () => {
  const slots = new Slots(1);
  const leave = occupy(slots);
  const controller = new AbortController();
  const waiting = slots.use(controller.signal, async () => 'in');
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  leave();
  expect(await slots.use(never, async () => 'in')).toBe('in');
});
