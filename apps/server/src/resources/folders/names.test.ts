import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNamer, pathProblem, safeSegment } from './names.ts';

describe('a safe segment', () => {
  test.each([
    ['Plain name', 'Plain name'],
    ['a/b\\c', 'a_b_c'],
    ['..', '_'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['C:\\Windows', 'C__Windows'],
    ['con', '_con'],
    ['NUL.json', '_NUL.json'],
    ['trailing. . ', 'trailing'],
    ['nul\0byte', 'nul_byte'],
    ['gpj.\u202Eexe', 'gpj._exe'],
    ['   ', '_'],
    ['Übersicht 日本', 'Übersicht 日本'],
  ])('%j becomes %j', (name, expected) => {
    expect(safeSegment(name)).toBe(expected);
  });

  test('the path made from any name is harmless', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const segment = safeSegment(name);
        expect(pathProblem(`folder/${segment}.json`)).toBeUndefined();
        expect(segment.length).toBeGreaterThan(0);
        expect(segment).not.toMatch(/[/\\:]/);
      }),
    );
  });
});

test('names are unique within their folder, ignoring case', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'A', 'a/', 'b', '..', '')), (names) => {
      const name = createNamer();
      const paths = names.map((given) => name('f/', given, '.json').toLowerCase());
      expect(new Set(paths).size).toBe(names.length);
    }),
  );
});

describe('the path of an archive entry', () => {
  test.each([
    '/etc/passwd',
    '../x.json',
    'a/../../x.json',
    'a/./x.json',
    'C:/x.json',
    'c:x.json',
    'a\\..\\x.json',
    '\\\\server\\share',
    'a\0.json',
    'a//x.json',
    '',
    ' /x.json',
  ])('%j is refused', (path) => {
    expect(pathProblem(path)).toBeDefined();
  });
  test.each(['x.json', 'a/b/c.json', 'a/', '..a/b..json', '日本/x.json'])('%j is taken', (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });
});
