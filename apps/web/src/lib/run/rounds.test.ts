import { describe, expect, it } from 'vitest';
import { countRounds, roundText } from './rounds.ts';

const results = (...rounds: string[]) =>
  rounds.map((iteration) => ({ status: 'success', metadata: iteration === '' ? {} : { iteration } }));

describe('rounds', () => {
  it.each([
    ['a node outside of loops', results(''), 1],
    ['a loop over three items, whose end has a result too', results('0', '1', '2', ''), 3],
    ['a node of its body', results('0', '1', '2'), 3],
    ['an inner loop', results('0.0', '0.1', '0', '1.0', '1.1', '1'), 4],
    ['an attempt that was repeated', results('0', '0', '1'), 2],
    ['a round that was skipped', [...results('0'), { status: 'skipped', metadata: { iteration: '1' } }], 1],
    ['a node that did not run', [], 0],
  ])('of %s', (_name, of, count) => {
    expect(countRounds(of)).toBe(count);
  });

  it.each([
    ['0', '1'],
    ['1.0', '2 · 1'],
  ])('recorded as %s is shown as %s', (round, text) => {
    expect(roundText(round)).toBe(text);
  });
});
