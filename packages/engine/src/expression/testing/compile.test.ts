// cspell:ignore uper
import { describe, expect, it } from 'vitest';
import {
  compile,
  createScope,
  evaluate,
  isReservedName,
  RESERVED_NAMES,
  type Scope,
  toText,
} from '../index.ts';
import { pythonText } from '../values/text.ts';

function scopeWith(values: Record<string, unknown>, more: Partial<Scope> = {}): Scope {
  return { ...createScope({ values, now: () => 0, uuid: () => 'u', random: () => 0 }), ...more };
}

describe('compile', () => {
  it('gives the same object for the same text and mode', () => {
    expect(compile('$a.b', 'value')).toBe(compile('$a.b', 'value'));
    expect(compile('$a.b', 'value')).not.toBe(compile('$a.b', 'template'));
  });

  it('knows which texts are static', () => {
    expect(compile('plain', 'template').isStatic).toBe(true);
    expect(compile('$5', 'value').isStatic).toBe(true);
    expect(compile('$a', 'literal').isStatic).toBe(true);
    expect(compile('', 'condition').isStatic).toBe(true);
    expect(compile('Hi $a', 'template').isStatic).toBe(false);
  });

  it('knows which texts keep the type of their value', () => {
    expect(compile('$a.b', 'value').keepsType).toBe(true);
    expect(compile('Hi $a.b', 'value').keepsType).toBe(false);
    expect(compile('$a.b', 'template').keepsType).toBe(false);
  });

  it('lists references with their paths and places, nested ones too', () => {
    const text = 'Hi $a.b["c d"][0].e and $list.filter("item.x == $other.y").map(\'item\')';
    const references = compile(text, 'template').references;
    expect(references.map(({ name, path }) => [name, path])).toEqual([
      ['a', ['b', 'c d', '0', 'e']],
      ['list', []],
      ['other', ['y']],
    ]);
    expect(references.map(({ start, end }) => text.slice(start, end))).toEqual([
      '$a.b["c d"][0].e',
      '$list',
      '$other.y',
    ]);
  });

  it('lists bare names in arguments, and credentials by their bracket form', () => {
    const names = (text: string) =>
      compile(text, 'value').references.map(({ name, path }) => [name, ...path].join('.'));
    expect(names('$concat(a.b, $c, "x $d.e")')).toEqual(['a.b', 'c', 'd.e']);
    expect(names('$credentials["my-key"]')).toEqual(['credentials.my-key']);
    expect(names('$[x.y for x in list.all if x > z]')).toEqual(['list.all', 'z']);
    expect(names('$a[b.c].d')).toEqual(['a', 'b.c']);
  });

  it('places references right behind escapes in quoted arguments', () => {
    const text = '$list.map("item == \\"\\u0041\\" + $name.first")';
    const [, reference] = compile(text, 'value').references;
    expect(text.slice(reference?.start, reference?.end)).toBe('$name.first');
  });

  it('reports what does not parse, with place and fix', () => {
    const [problem] = compile('$a !== 1', 'raw').problems;
    expect(problem).toEqual({ code: 'syntax', message: 'Use != instead of !==.', start: 3, end: 6 });
    expect(compile('!$a', 'condition').problems[0]?.message).toBe('Use "not" instead of "!".');
    expect(compile('n > 3', 'condition').problems[0]?.message).toBe(
      'Write $n to read a value in a condition.',
    );
    expect(compile('$a.b("x)', 'raw').problems[0]?.message).toBe('This text has no closing ".');
    expect(compile('$a +', 'raw').problems[0]?.message).toBe('The expression ends too early.');
  });

  it('reports calls of functions and methods that do not exist, with the nearest name', () => {
    expect(compile('$a.toUpperCase().to_iso()', 'value').problems).toEqual([]);
    expect(compile('$(a * 2).toFixed(1).padStart(5)', 'value').problems).toEqual([]);
    expect(compile('$a.toUppercase()', 'value').problems[0]?.message).toContain(
      'Did you mean toUpperCase()?',
    );
    expect(compile('$a.uper()', 'value').problems[0]?.message).toBe(
      'There is no method uper(). Did you mean upper()?',
    );
    expect(compile('x $lenn(a)', 'template').problems[0]).toEqual({
      code: 'unknown_function',
      message: 'There is no function lenn(). Did you mean len()?',
      start: 2,
      end: 10,
    });
  });

  it('§4.6: reports a condition of filter() that does not parse, and leaves a text of map() alone', () => {
    expect(compile('$a.list.filter("item.x !== 1")', 'value').problems).toEqual([
      { code: 'syntax', message: 'Use != instead of !==.', start: 23, end: 26 },
    ]);
    expect(compile('Of $a.filter("!item") left', 'template').problems[0]?.message).toBe(
      'Use "not" instead of "!".',
    );
    expect(compile('$a.map("- item.name (item.id)")', 'value').problems).toEqual([]);
  });

  it('looks keys of $input up in all direct inputs when the scope knows several', () => {
    const scope = scopeWith({ input: { a: 1 } }, { inputMember: (key) => (key === 'b' ? 2 : undefined) });
    expect(evaluate('$input', 'value', scope)).toEqual({ a: 1 });
    expect(evaluate('$input.b', 'value', scope)).toBe(2);
    expect(evaluate('$input["b"]', 'value', scope)).toBe(2);
    expect(evaluate('$input.a', 'value', scope)).toBe(1);
    expect(evaluate('$input.__proto__', 'value', scope)).toBeNull();
    expect(evaluate('max(input.b, $input.a)', 'value', scope)).toBe(2);
  });

  it('asks the scope for each identifier, so that two are never the same', () => {
    let count = 0;
    const scope = scopeWith({}, { uuid: () => String(count++) });
    expect(evaluate('$UUID $UUID', 'template', scope)).toBe('0 1');
  });

  it('falls back to UTC for an unknown time zone', () => {
    const scope = scopeWith({}, { timezone: 'Nowhere/At-All' });
    expect(evaluate('$now', 'value', scope)).toBe('1970-01-01T00:00:00+00:00');
  });

  it('hands large data through without copying it', () => {
    const data = { items: [1, 2, 3] };
    expect(evaluate('$data', 'value', scopeWith({ data }))).toBe(data);
    expect(evaluate('$data.items', 'value', scopeWith({ data }))).toBe(data.items);
  });

  it('never changes the data it reads', () => {
    const data = Object.freeze({ list: Object.freeze([3, 1, 2]) });
    const scope = scopeWith({ data });
    for (const text of [
      '$data.list.sort()',
      '$data.list.reverse()',
      '$data.list.add(1)',
      '$dict(data)',
      '$data.list + [1]',
    ]) {
      evaluate(text, 'value', scope);
    }
    expect(data).toEqual({ list: [3, 1, 2] });
  });
});

describe('text of values', () => {
  it('writes booleans like the original and null as nothing', () => {
    expect([true, false, null, 1.5, 'x', [1], { a: true }].map(toText)).toEqual([
      'True',
      'False',
      '',
      '1.5',
      'x',
      '[1]',
      '{"a": true}',
    ]);
    expect(pythonText(null)).toBe('None');
  });
});

describe('reserved names', () => {
  it('has every name once and compares without regard to case', () => {
    expect(new Set(RESERVED_NAMES).size).toBe(RESERVED_NAMES.length);
    expect(RESERVED_NAMES).toContain('startswith');
    expect(isReservedName('Headers')).toBe(true);
    expect(isReservedName('fetchOrders')).toBe(false);
  });
});
