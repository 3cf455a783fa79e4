import { describe, expect, it } from 'vitest';
import { type GrowingText, withoutStep, withToken } from './growing-texts.ts';

const token = (text: string, offset: number, more: object = {}) => ({
  node_id: 'ask',
  step: 'call',
  text,
  offset,
  ...more,
});

const textsAfter = (...tokens: object[]): string[] =>
  tokens
    .reduce<readonly GrowingText[]>((texts, one) => withToken(texts, one as Record<string, unknown>), [])
    .map(({ text }) => text);

describe('texts that grow', () => {
  it('joins the pieces of each step of each round', () => {
    const other = { step: 'tool-1-1/model-1' };
    expect(
      textsAfter(token('Good', 0), token('Hm', 0, other), token(' day', 4), token('m', 2, other)),
    ).toEqual(['Good day', 'Hmm']);
    expect(textsAfter(token('one', 0, { iteration: '0' }), token('two', 0, { iteration: '1' }))).toEqual([
      'one',
      'two',
    ]);
  });

  it('begins anew where the text does, and is gone when nothing is left of it', () => {
    expect(textsAfter(token('Goo', 0), token('Hello', 0))).toEqual(['Hello']);
    expect(textsAfter(token('Goo', 0), token('', 0))).toEqual([]);
  });

  it('marks pieces that are missing, and continues behind them', () => {
    expect(textsAfter(token('One', 0), token('three', 8), token(' four', 13))).toEqual(['One … three four']);
  });

  it('drops the texts of a step that is done', () => {
    const texts = withToken(withToken([], token('a', 0)), token('b', 0, { step: 'x/call' }));
    expect(withoutStep(texts, 'ask', 'call').map(({ text }) => text)).toEqual(['b']);
    expect(withoutStep(texts, 'other', 'call')).toEqual(texts);
  });
});
