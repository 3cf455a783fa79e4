import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAutosave } from './autosave.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched(answers: readonly boolean[] = []) {
  const left = [...answers];
  const save = vi.fn(() => Promise.resolve(left.shift() ?? true));
  return { save, autosave: createAutosave({ save }) };
}

test('saves once, a moment after the last change', async () => {
  const { save, autosave } = watched();
  for (let typed = 0; typed < 5; typed++) {
    autosave.changed();
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(save).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(600);
  expect(save).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(save).toHaveBeenCalledTimes(1);
});

test('saves every few seconds while changes keep coming', async () => {
  const { save, autosave } = watched();
  for (let typed = 0; typed < 50; typed++) {
    autosave.changed();
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(save).toHaveBeenCalledTimes(2);
});

test('tries again after a failure, less and less often, until it is saved', async () => {
  const { save, autosave } = watched([false, false, false, false, true]);
  autosave.changed();
  await vi.advanceTimersByTimeAsync(800);
  expect(save).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(save).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(save).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(15_000);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(save).toHaveBeenCalledTimes(5);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(save).toHaveBeenCalledTimes(5);
});

test('saves at once when there may be no later', async () => {
  const { save, autosave } = watched();
  autosave.changed();
  autosave.now();
  expect(save).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).toHaveBeenCalledTimes(1);
});

test('does not save while held, nor once closed', async () => {
  const { save, autosave } = watched();
  autosave.changed();
  autosave.hold();
  autosave.changed();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).not.toHaveBeenCalled();
  autosave.now();
  expect(save).not.toHaveBeenCalled();
  autosave.release();
  autosave.changed();
  await vi.advanceTimersByTimeAsync(800);
  expect(save).toHaveBeenCalledTimes(1);
  autosave.changed();
  autosave.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).toHaveBeenCalledTimes(1);
});
