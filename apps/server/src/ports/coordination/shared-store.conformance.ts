import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SharedStore } from './shared-store.ts';

export interface StoreForTest {
  readonly store: SharedStore;
  /** Makes that much time pass for the store. */
  wait(ms: number): Promise<void>;
}

/** The behaviour of every shared store. */
export function describeSharedStore(name: string, open: () => Promise<StoreForTest>): void {
  describe(`shared store: ${name}`, () => {
    let store: SharedStore;
    let wait: StoreForTest['wait'];
    beforeEach(async () => {
      ({ store, wait } = await open());
    });
    afterEach(() => store.close());

    const key = (rest: string) => `cache:${WORKFLOW}:${rest}`;

    test('a value is there until its time is over', async () => {
      await store.set(key('a'), '{"text":"ü \u2028 \'quoted\'"}', 2);
      expect(await store.get(key('a'))).toBe('{"text":"ü \u2028 \'quoted\'"}');
      expect(await store.get(key('b'))).toBeUndefined();
      await wait(2_100);
      expect(await store.get(key('a'))).toBeUndefined();
    });

    test('a later value replaces the earlier one and its time', async () => {
      await store.set(key('a'), '1', 1);
      await store.set(key('a'), '2', 60);
      await wait(1_100);
      expect(await store.get(key('a'))).toBe('2');
    });

    test('a value that is taken is gone, and only one of several callers gets it', async () => {
      for (const each of ['mcp:answer:1', 'mcp:answer:10']) await store.set(each, `of ${each}`, 60);
      const taken = await Promise.all([store.take('mcp:answer:1'), store.take('mcp:answer:1')]);
      expect(taken.filter((value) => value !== undefined)).toEqual(['of mcp:answer:1']);
      expect(await store.get('mcp:answer:1')).toBeUndefined();
      expect(await store.get('mcp:answer:10')).toBe('of mcp:answer:10');
      expect(await store.take('mcp:answer:2')).toBeUndefined();
    });

    test('a value is not taken after its time', async () => {
      await store.set('mcp:answer:3', 'late', 1);
      await wait(1_100);
      expect(await store.take('mcp:answer:3')).toBeUndefined();
    });

    test('forgetting a prefix forgets exactly what starts with it', async () => {
      await store.set(key('a'), '1', 60);
      await store.set(key('b'), '2', 60);
      await store.set(`cache:${OTHER_WORKFLOW}:a`, '3', 60);
      await store.forget(`cache:${WORKFLOW}:`);
      expect([
        await store.get(key('a')),
        await store.get(key('b')),
        await store.get(`cache:${OTHER_WORKFLOW}:a`),
      ]).toEqual([undefined, undefined, '3']);
    });

    test('§8.1: a sliding window allows so many calls, tells what is left, and refused calls do not count', async () => {
      const counts = [];
      for (let call = 0; call < 4; call++) counts.push(await store.countInWindow('limit:w:1.2.3.4', 2, 4));
      expect(counts.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ]);
      expect(counts.every(({ reset_seconds }) => reset_seconds >= 1 && reset_seconds <= 4)).toBe(true);
      await wait(4_100);
      expect(await store.countInWindow('limit:w:1.2.3.4', 2, 4)).toMatchObject({
        allowed: true,
        remaining: 1,
      });
    });

    test('§8.1: the window slides, it does not jump', async () => {
      await store.countInWindow('limit:slide', 2, 4);
      await wait(2_400);
      await store.countInWindow('limit:slide', 2, 4);
      await wait(2_000);
      expect(await store.countInWindow('limit:slide', 2, 4)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await store.countInWindow('limit:slide', 2, 4)).toMatchObject({ allowed: false });
    });

    test('§8.1: each client has a window of its own', async () => {
      await store.countInWindow('limit:w:a', 1, 60);
      expect(await store.countInWindow('limit:w:b', 1, 60)).toMatchObject({ allowed: true });
      expect(await store.countInWindow('limit:w:a', 1, 60)).toMatchObject({ allowed: false });
    });

    test('calls at the same moment never pass the limit', async () => {
      const counts = await Promise.all(
        Array.from({ length: 50 }, async () => store.countInWindow('limit:burst', 10, 60)),
      );
      expect(counts.filter(({ allowed }) => allowed)).toHaveLength(10);
    });
  });
}

const WORKFLOW = '0198c1d2-0000-7000-8000-00000000000a';
const OTHER_WORKFLOW = '0198c1d2-0000-7000-8000-00000000000b';
