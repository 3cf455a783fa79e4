import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { make } from './make.ts';
import { namesOf } from './names.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('names', () => {
  test('have every spelling', () => {
    expect(namesOf('line-breaks')).toEqual({
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
      expect(() => namesOf(name)).toThrow(/is (no name|a word of TypeScript)/);
    },
  );

  test('something that exists is not made again', () => {
    expect(() => make(root, 'node', 'set')).toThrow('packages/nodes/src/set/de.json exists');
  });

  test('an unknown kind is refused', () => {
    expect(() => make(root, 'toString', 'line')).toThrow('nothing that can be made');
  });
});
