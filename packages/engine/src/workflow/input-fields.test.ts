import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { type FieldType, readInputs, readTyped, readTypedFields } from './input-fields.ts';

const read = (type: FieldType, value: Json) => readTyped({ type, options: ['a', '7'] }, value);

describe('readTyped', () => {
  it.each<[FieldType, Json, Json]>([
    ['number', 80, 80],
    ['number', '80', 80],
    ['number', ' -2.5e1 ', -25],
    ['boolean', true, true],
    ['boolean', 'False', false],
    ['choice', 'a', 'a'],
    ['choice', 7, '7'],
    ['date', '2028-02-29', '2028-02-29'],
    ['text', 80, '80'],
    ['text', 'x', 'x'],
    ['text', { kept: 1 }, { kept: 1 }],
    ['file', 'data:,x', 'data:,x'],
  ])('%s: %j is %j', (type, given, value) => {
    expect(read(type, given)).toEqual({ value });
  });

  it.each<[FieldType, Json, RegExp]>([
    ['number', '80 EUR', /a number/],
    ['number', '9007199254740993', /more digits/],
    ['number', '', /a number/],
    ['number', '0x10', /a number/],
    ['number', 'Infinity', /a number/],
    ['number', true, /a number/],
    ['boolean', 'yes', /true or false/],
    ['boolean', 1, /true or false/],
    ['choice', 'b', /one of: a, 7/],
    ['date', '2027-02-29', /a date/],
    ['date', '2027-02-28T10:00', /a date/],
  ])('%s refuses %j', (type, given, problem) => {
    expect(read(type, given)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('readInputs', () => {
  const fields = readTypedFields([
    { key: 'amount', type: 'number', required: true },
    { key: 'size', type: 'choice', options: ['s'], defaultValue: 'other' },
    { key: 'free' },
  ]);

  it('converts typed fields and leaves everything else unchanged', () => {
    const given = { amount: '80', free: '80', more: ['80'] };
    expect(readInputs(fields, given)).toEqual({ values: { amount: 80, free: '80', more: ['80'] } });
  });

  it('names the field that does not match its type or is required', () => {
    expect(readInputs(fields, { amount: 'x' })).toEqual({ key: 'amount', problem: 'must be a number' });
    expect(readInputs(fields, { amount: '' })).toEqual({ key: 'amount', problem: 'must be filled in' });
    expect(readInputs(fields, {})).toEqual({ key: 'amount', problem: 'must be filled in' });
  });

  it('accepts the default value of a field even if it does not match the type', () => {
    expect(readInputs(fields, { amount: 1, size: 'other' })).toEqual({
      values: { amount: 1, size: 'other' },
    });
  });

  it('replaces empty text in a field of another type with its default value', () => {
    const given = { amount: 1, size: '', day: '' };
    const dated = [...fields, ...readTypedFields([{ key: 'day', type: 'date' }])];
    expect(readInputs(dated, given)).toEqual({ values: { amount: 1, day: '' } });
  });
});
