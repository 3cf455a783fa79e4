import { describe, expect, it } from 'vitest';
import { textOfValue, valueOfText } from './value-text.ts';

describe('valueOfText', () => {
  it.each([
    ['12', 'number', 12],
    [' 1e3 ', 'number', 1000],
    ['TRUE', 'boolean', true],
    ['[1,2]', 'array', [1, 2]],
    ['{"a":1}', 'object', { a: 1 }],
    ['12', 'string', '12'],
    ['12', 'auto', 12],
    ['hello', 'auto', 'hello'],
    ['null', 'auto', 'null'],
  ] as const)('reads %s as %s', (text, type, value) => {
    expect(valueOfText(text, type)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'number'],
    ['twelve', 'number'],
    ['yes', 'boolean'],
    ['{}', 'array'],
    ['[]', 'object'],
    ['null', 'object'],
  ] as const)('refuses %s as %s', (text, type) => {
    expect(valueOfText(text, type)).toEqual({ ok: false, problem: type });
  });
});

describe('textOfValue', () => {
  it('shows text bare and the rest as JSON', () => {
    expect(textOfValue('a', 'string')).toBe('a');
    expect(textOfValue(false, 'boolean')).toBe('false');
    expect(textOfValue({ a: 1 }, 'object')).toBe('{\n  "a": 1\n}');
  });
});
