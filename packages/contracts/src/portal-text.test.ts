import { describe, expect, it } from 'vitest';
import { answerText, questionText, withoutPictures } from './portal-text.ts';

describe('answerText', () => {
  it.each([
    ['the text of an output node', { out: { result: 'Hello' } }, 'Hello'],
    ['the text of a model', { llm: { text: 'Hi', model: 'm', usage: { tokens: 3 } } }, 'Hi'],
    ['the object of a sole JSON mapper (§2.3)', { answer: 'Yes', score: 2 }, 'Yes'],
    ['a plain value', { out: { result: 42 } }, '42'],
    ['nothing', { out: {} }, ''],
    ['a text', 'plain', 'plain'],
    ['no outputs', undefined, ''],
  ])('is %s', (_what, outputs, text) => {
    expect(answerText(outputs)).toBe(text);
  });

  it('shows several outputs under their labels', () => {
    expect(answerText({ first: { result: 'A' }, empty: {}, second: { text: 'B' } })).toBe(
      '**first**\n\nA\n\n**second**\n\nB',
    );
  });

  it('shows data without a text as JSON', () => {
    expect(answerText({ out: { result: { rows: [1] } } })).toBe(
      '```json\n{\n  "rows": [\n    1\n  ]\n}\n```',
    );
    expect(answerText({ set: { price: 3 } })).toBe('```json\n{\n  "price": 3\n}\n```');
  });

  it('shows a picture as one, but no other data address', () => {
    expect(answerText({ out: { result: 'data:image/png;base64,AAAA' } })).toBe(
      '![](data:image/png;base64,AAAA)',
    );
    // A generated image has further details.
    const image = 'data:image/png;base64,AAAA';
    const file = { filename: 'image.png', download_url: '/api/files/dl/x' };
    expect(answerText({ llm: { image, file, model: 'm', elapsed_ms: 3 } })).toBe(`![](${image})`);
    expect(answerText({ out: { result: 'data:image/svg+xml,<svg/>' } })).toBe('data:image/svg+xml,<svg/>');
  });
});

describe('questionText', () => {
  it.each([
    ['the only value', { text: 'Hello' }, 'Hello'],
    ['a line for each field', { city: 'Rome', count: 2, tags: ['a'] }, 'city: Rome\ncount: 2\ntags: ["a"]'],
    ['empty without inputs', {}, ''],
  ])('is %s', (_what, inputs, text) => {
    expect(questionText(inputs)).toBe(text);
  });
});

it('withoutPictures leaves the names of embedded pictures', () => {
  expect(withoutPictures('Here: ![A map](data:image/png;base64,AAAA) and ![](data:image/png;base64,B)')).toBe(
    'Here: [A map] and [image]',
  );
  expect(withoutPictures('![Map](https://example.com/map.png)')).toBe('![Map](https://example.com/map.png)');
});
