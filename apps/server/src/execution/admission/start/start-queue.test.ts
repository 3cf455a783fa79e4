import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStartQueue, type StartQueueOptions } from './start-queue.ts';

beforeEach(() => {
  // Only the timers that the queue uses: other parts of the process that wait meanwhile would be counted, and wait for
  // ever.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

/** A queue in front of so many places; `taken` grows with every caller that gets in. */
function createQueue(places: number, options: Partial<StartQueueOptions> = {}) {
  const state = { places, taken: 0, open: true, entered: [] as string[], refused: [] as string[] };
  const queue = createStartQueue({
    room: () => state.places - state.taken,
    isOpen: () => state.open,
    max_wait_ms: 1_000,
    max_waiting: 10,
    ...options,
  });
  const come = async (name: string, left = never) => {
    const entry = queue.enter(() => left);
    if (entry === 'entered' || (await entry) === 'entered') {
      state.taken += 1;
      state.entered.push(name);
    } else state.refused.push(name);
  };
  return { queue, state, come };
}

test('lets in who finds room, without a wait', () => {
  const { queue } = createQueue(1);
  expect(queue.enter(() => never)).toBe('entered');
  expect(queue.waiting).toBe(0);
});

test('lets those who wait in one by one, first come first served, as places become free', async () => {
  const { queue, state, come } = createQueue(1);
  for (const name of ['a', 'b', 'c', 'd']) void come(name);
  await vi.advanceTimersByTimeAsync(100);
  expect(state.entered).toEqual(['a']);
  state.taken = 0;
  await vi.advanceTimersByTimeAsync(100);
  expect(state.entered).toEqual(['a', 'b']);
  state.places = 3;
  // A place is free now, but others were there before.
  void come('e');
  await vi.advanceTimersByTimeAsync(100);
  expect(state.entered).toEqual(['a', 'b', 'c', 'd']);
  expect(queue.waiting).toBe(1);
});

test('turns away who has waited too long', async () => {
  const { queue, state, come } = createQueue(0);
  void come('a');
  await vi.advanceTimersByTimeAsync(900);
  void come('b');
  expect(state.refused).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(state.refused).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.refused).toEqual(['a', 'b']);
  expect(queue.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('turns callers away at once: when too many wait, when waiting is not allowed, when it is closed', async () => {
  const crowded = createQueue(0, { max_waiting: 1 });
  void crowded.come('a');
  expect(await crowded.queue.enter(() => never)).toBe('refused');
  expect(await createQueue(0, { max_wait_ms: 0 }).queue.enter(() => never)).toBe('refused');
  const closed = createQueue(5);
  closed.state.open = false;
  expect(await closed.queue.enter(() => never)).toBe('refused');
});

test('turns all waiting callers away when it closes', async () => {
  const { state, come } = createQueue(0);
  for (const name of ['a', 'b']) void come(name);
  state.open = false;
  await vi.advanceTimersByTimeAsync(50);
  expect(state.refused).toEqual(['a', 'b']);
});

test('a client that leaves gives its place in the queue to the next one', async () => {
  const { queue, state, come } = createQueue(0);
  const client = new AbortController();
  void come('a', client.signal);
  void come('b');
  client.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(queue.waiting).toBe(1);
  state.places = 2;
  await vi.advanceTimersByTimeAsync(50);
  expect(state.entered).toEqual(['b']);
  expect(await createQueue(0).queue.enter(() => client.signal)).toBe('left');
  expect(vi.getTimerCount()).toBe(0);
});
