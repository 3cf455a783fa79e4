import { expect, test } from 'vitest';
import { chunkText } from './chunk.ts';

const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');

test('a short text is one chunk, an empty one none', () => {
  expect(chunkText('  Hello.\r\nWorld \0 ')).toEqual(['Hello.\nWorld']);
  expect(chunkText(' \n\n ')).toEqual([]);
});

test('chunks keep to the size, cover every word in order and overlap', () => {
  const text = words(600);
  const chunks = chunkText(text, { size: 300, overlap: 60 });
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(300);
  const seen = new Set(chunks.flatMap((chunk) => chunk.split(' ')));
  expect([...seen]).toEqual(text.split(' '));
  for (const [at, chunk] of chunks.slice(1).entries()) {
    const [first = ''] = chunk.split(' ');
    expect(chunks[at]).toContain(first);
  }
});

test('paragraphs are kept together where they fit', () => {
  const [a, b, c] = [words(10, 'a'), words(10, 'b'), words(10, 'c')];
  expect(chunkText(`${a}\n\n${b}\n\n${c}`, { size: 70, overlap: 0 })).toEqual([`${a}\n\n${b}`, c]);
  expect(chunkText(`${a}\n\n${b}`, { size: 45, overlap: 0 })).toEqual([a, b]);
});

test('sections are apart, each under its headings; signs in code are no headings', () => {
  const text =
    '# Shop\nIntro\n## Hours\n9 to 17\n```\n# not a heading\n```\n## Address\nMain street 1\n# Team\nAda';
  expect(chunkText(text)).toEqual([
    '# Shop\nIntro',
    '# Shop\n## Hours\n9 to 17\n```\n# not a heading\n```',
    '# Shop\n## Address\nMain street 1',
    '# Team\nAda',
  ]);
});

test('a text without a place to cut is cut between characters', () => {
  const chunks = chunkText('🎉'.repeat(500), { size: 101, overlap: 0 });
  expect(chunks.join('')).toBe('🎉'.repeat(500));
  expect(chunks.every((chunk) => !/[\ud800-\udbff]$/.test(chunk))).toBe(true);
});
