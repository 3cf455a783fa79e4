import { expect, test, vi } from 'vitest';
import { FactCache } from './fact-cache.ts';

function opened() {
  const changes = { seen: 1 };
  const facts = new FactCache<string>(changes, 10);
  const read = vi.fn<() => Promise<string>>(() => Promise.resolve('fact'));
  return { changes, facts, read, get: (group = 'a', key = 'x') => facts.get(group, key, read) };
}

test('a fact is read once and then known at once', async () => {
  const { read, get } = opened();
  expect(await get()).toBe('fact');
  expect(get()).toBe('fact');
  expect(read).toHaveBeenCalledOnce();
});

test.each<[string, (opening: ReturnType<typeof opened>) => void]>([
  ['its group is forgotten', ({ facts }) => facts.forgetGroup('a')],
  ['its key is forgotten', ({ facts }) => facts.forgetKey('x')],
  ['another process has changed something', ({ changes }) => void changes.seen++],
])('a fact is read again when %s', async (_, change) => {
  const opening = opened();
  await opening.get();
  change(opening);
  await opening.get();
  expect(opening.read).toHaveBeenCalledTimes(2);
});

test('facts of other groups and keys stay known', async () => {
  const { facts, read, get } = opened();
  await Promise.all([get('a', 'x'), get('b', 'x'), get('b', 'y')]);
  facts.forgetGroup('a');
  expect([get('b', 'x'), get('b', 'y')]).toEqual(['fact', 'fact']);
  facts.forgetKey('x');
  expect(get('b', 'y')).toBe('fact');
  expect(read).toHaveBeenCalledTimes(3);
});

test('an answer that a change has overtaken is not kept', async () => {
  const { facts, read, get } = opened();
  const answer = get();
  facts.forgetGroup('a');
  expect(await answer).toBe('fact');
  await get();
  expect(read).toHaveBeenCalledTimes(2);
});
