import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { make } from './make.ts';
import { deriveNames } from './names.ts';
import { keepParts } from './template.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('names', () => {
  test('have every spelling', () => {
    expect(deriveNames('line-breaks')).toEqual({
      kebab: 'line-breaks',
      camel: 'lineBreaks',
      pascal: 'LineBreaks',
      snake: 'line_breaks',
      title: 'Line breaks',
    });
  });

  test.each(['', 'Line', 'line_breaks', '-line', 'line-', '../line', 'class', 'x'.repeat(41)])(
    '%j is none',
    (name) => {
      expect(() => deriveNames(name)).toThrow(/is (no name|a word of TypeScript)/);
    },
  );

  test('something that exists is not made again', () => {
    expect(() => make(root, { kind: 'node', name: 'set' })).toThrow('packages/nodes/src/set/de.json exists');
  });

  test('an unknown kind is refused', () => {
    expect(() => make(root, { kind: 'toString', name: 'line' })).toThrow('nothing that can be made');
  });

  test('only what can be left out is left out', () => {
    const resource = { kind: 'resource', name: 'lines', without: ['create'] };
    expect(() => make(root, resource)).toThrow('cannot be without "create"');
    expect(() => make(root, { kind: 'node', name: 'line', without: ['read'] })).toThrow('no parts');
  });
});

describe('parts of templates', () => {
  const template = ['a', '  // if read|update', 'b', '  // if update', 'c', '  // end', '  // end', 'd'].join(
    '\n',
  );

  test.each([
    [[], 'a\nd'],
    [['read'], 'a\nb\nd'],
    [['update'], 'a\nb\nc\nd'],
  ])('%j', (parts, kept) => expect(keepParts(template, new Set(parts))).toBe(kept));

  test.each(['// if read', '// end'])('%j alone is a mistake', (line) => {
    expect(() => keepParts(line, new Set())).toThrow('condition');
  });
});
