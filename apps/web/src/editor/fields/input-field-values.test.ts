import { expect, it } from 'vitest';
import { optionsText, parseDefault, parseOptions, withValue } from './input-field-values.ts';

it.each([
  ['number', '1.5', 1.5],
  ['number', '-', '-'],
  ['number', '', ''],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  // On the way to one of the two.
  ['boolean', 'tru', ''],
  ['text', '007', '007'],
  ['', 'true', 'true'],
] as const)('the default of a field of the type %j typed as %j is %j', (type, text, value) => {
  expect(parseDefault(type, text)).toBe(value);
});

it('reads choices and writes them back', () => {
  expect(parseOptions(' north,, south ,')).toEqual(['north', 'south']);
  expect(optionsText(['north', 'south'])).toBe('north, south');
  expect(optionsText(undefined)).toBe('');
});

it('takes out what is empty, and keeps false', () => {
  const row = { key: 'loud', defaultValue: true, options: ['a'] };
  expect(withValue(row, 'options', [])).toEqual({ key: 'loud', defaultValue: true });
  expect(withValue(row, 'defaultValue', '')).toEqual({ key: 'loud', options: ['a'] });
  expect(withValue(row, 'defaultValue', false)).toMatchObject({ defaultValue: false });
});
