import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TransactionalSql } from '../database/sql-client.ts';
import { createChangeClock, GOOD_FOR_MS } from './change-clock.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A database that answers when the test says so. */
function setUp() {
  const asked: { answer: (count: number) => void; fail: () => void }[] = [];
  const sql = {
    query: () =>
      new Promise((resolve, reject) => {
        asked.push({
          answer: (count) => resolve({ rows: [{ count: String(count) }], row_count: 1 }),
          fail: () => reject(new Error('the database is away')),
        });
      }),
  } as unknown as TransactionalSql;
  return { asked, clock: createChangeClock({ kind: 'postgres', sql }) };
}

async function looked(count: number) {
  const made = setUp();
  const look = made.clock.current();
  made.asked[0]?.answer(count);
  expect(await look).toBe(count);
  return made;
}

describe('a look', () => {
  test('is shared by all who wait for it, and good for a moment', async () => {
    const { asked, clock } = setUp();
    const looks = Promise.all([clock.current(), clock.current(), clock.current()]);
    asked[0]?.answer(7);
    expect(await looks).toEqual([7, 7, 7]);
    vi.advanceTimersByTime(10);
    expect(clock.current()).toBe(7);
    expect(asked).toHaveLength(1);
  });

  test('is renewed while it is still valid, without any caller waiting', async () => {
    const { asked, clock } = await looked(7);
    vi.advanceTimersByTime(15);
    expect([clock.current(), clock.current()]).toEqual([7, 7]);
    expect(asked).toHaveLength(2);
    asked[1]?.answer(8);
    await vi.advanceTimersByTimeAsync(0);
    // Good from when it was sent, which was 15 ms later than the first.
    vi.advanceTimersByTime(20);
    expect(clock.current()).toBe(8);
  });

  test('is made again when it has gone stale', async () => {
    const { asked, clock } = await looked(7);
    vi.advanceTimersByTime(GOOD_FOR_MS);
    const next = clock.current();
    expect(next).toBeInstanceOf(Promise);
    asked[1]?.answer(9);
    expect(await next).toBe(9);
  });

  test('that took longer than it is valid does not count for callers that came while it was in progress', async () => {
    const { asked, clock } = setUp();
    const early = clock.current();
    vi.advanceTimersByTime(GOOD_FOR_MS + 5);
    const late = clock.current();
    asked[0]?.answer(1);
    expect(await early).toBe(1);
    expect(asked).toHaveLength(2);
    asked[1]?.answer(2);
    expect(await late).toBe(2);
  });

  test('that fails is an error, and the next one is made', async () => {
    const { asked, clock } = setUp();
    const failing = clock.current();
    asked[0]?.fail();
    await expect(failing).rejects.toThrow(/away/);
    const next = clock.current();
    asked[1]?.answer(3);
    expect(await next).toBe(3);
  });
});

test('a change has settled when every look from before it has gone stale', async () => {
  const { clock } = setUp();
  let settled = false;
  void clock.waitUntilVisible()?.then(() => {
    settled = true;
  });
  await vi.advanceTimersByTimeAsync(GOOD_FOR_MS);
  expect(settled).toBe(false);
  await vi.advanceTimersByTimeAsync(5);
  expect(settled).toBe(true);
});

test('watchers are notified of a change within a second, and of nothing else', async () => {
  const { asked, clock } = await looked(7);
  const heard = vi.fn();
  const stop = clock.watch(heard);
  await vi.advanceTimersByTimeAsync(1_000);
  asked[1]?.answer(7);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).not.toHaveBeenCalled();
  asked[2]?.answer(8);
  await vi.advanceTimersByTimeAsync(0);
  expect(heard).toHaveBeenCalledTimes(1);
  stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveLength(3);
});

test('the embedded database has one process, which needs neither look nor wait', () => {
  const clock = createChangeClock({ kind: 'embedded', sql: {} as TransactionalSql });
  expect(clock.current()).toBe(0);
  expect(clock.waitUntilVisible()).toBeUndefined();
});
