import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGate, type GateOptions } from './gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A gate in front of so many places; `taken` grows with everybody who gets in. */
function gateOf(places: number, options: Partial<GateOptions> = {}) {
  const state = { places, taken: 0, open: true, entered: [] as string[], refused: [] as string[] };
  const gate = createGate({
    room: () => state.places - state.taken,
    isOpen: () => state.open,
    patience_ms: 1_000,
    most_waiting: 10,
    ...options,
  });
  const come = async (name: string) => {
    const may = gate.enter();
    if (may === true || (await may)) {
      state.taken += 1;
      state.entered.push(name);
    } else state.refused.push(name);
  };
  return { gate, state, come };
}

test('lets in who finds room, without a wait', () => {
  const { gate } = gateOf(1);
  expect(gate.enter()).toBe(true);
  expect(gate.waiting).toBe(0);
});

test('lets those who wait in one by one, first come first served, as places become free', async () => {
  const { gate, state, come } = gateOf(1);
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
  expect(gate.waiting).toBe(1);
});

test('turns away who has waited too long', async () => {
  const { gate, state, come } = gateOf(0);
  void come('a');
  await vi.advanceTimersByTimeAsync(900);
  void come('b');
  expect(state.refused).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(state.refused).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.refused).toEqual(['a', 'b']);
  expect(gate.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('turns away at once: when too many wait, when nobody may wait, when it is closed', async () => {
  const crowded = gateOf(0, { most_waiting: 1 });
  void crowded.come('a');
  expect(await crowded.gate.enter()).toBe(false);
  expect(await gateOf(0, { patience_ms: 0 }).gate.enter()).toBe(false);
  const closed = gateOf(5);
  closed.state.open = false;
  expect(await closed.gate.enter()).toBe(false);
});

test('turns everybody away who waits when it closes', async () => {
  const { state, come } = gateOf(0);
  for (const name of ['a', 'b']) void come(name);
  state.open = false;
  await vi.advanceTimersByTimeAsync(50);
  expect(state.refused).toEqual(['a', 'b']);
});
