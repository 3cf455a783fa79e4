import { describe, expect, it } from 'vitest';
import { formInput, inputFormFields, parseInput, sampleBody } from './input-form.ts';

const start = (inputFields: object[]) => [
  { id: 's', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 's', inputFields } },
];
const buildFields = (...inputFields: object[]) => inputFormFields(start(inputFields) as never);
const TYPED = buildFields(
  { key: 'amount', type: 'number' },
  { key: 'urgent', type: 'boolean' },
  { key: 'size', type: 'choice', options: ['s', 'm'] },
  { key: 'day', type: 'date' },
  { key: 'note', defaultValue: 'none' },
);

const input = (typed: Record<string, string>) => parseInput(TYPED, new Map(Object.entries(typed)));

it('§2.1: a sample body has the declared fields, or is any JSON, as webhook_body_mode says', () => {
  const fields = buildFields({ key: 'city', defaultValue: 'Oslo' }, { key: 'note' });
  expect(sampleBody('defined', fields)).toEqual({ city: 'Oslo', note: '' });
  const generic = sampleBody('generic', fields);
  expect(Object.keys(generic)).not.toHaveLength(0);
  expect(generic).not.toHaveProperty('city');
});

describe('the input that a run form sends', () => {
  it('has the types of the fields', () => {
    expect(input({ amount: '80', urgent: 'true', size: 'm', day: '2026-01-31', note: '80' })).toEqual({
      amount: 80,
      urgent: true,
      size: 'm',
      day: '2026-01-31',
      note: '80',
    });
  });

  it('omits fields that are empty and have no default value', () => {
    expect(input({})).toEqual({ urgent: false, note: 'none' });
    expect(input({ amount: '', note: '' })).toEqual({ urgent: false, note: '' });
  });

  it('is undefined while a value does not match its field', () => {
    expect(input({ amount: '80 EUR' })).toBeUndefined();
    const form = { mode: 'form', typed: new Map([['day', 'tomorrow']]), raw: '' } as const;
    expect(formInput(TYPED, form)).toBeUndefined();
  });

  it('keeps stored default values, and converts typed text to their type', () => {
    const fields = buildFields(
      { key: 'n', defaultValue: 5 },
      { key: 'on', defaultValue: true },
      { key: 'l', defaultValue: [1] },
    );
    expect(parseInput(fields, new Map())).toEqual({ n: 5, on: true, l: [1] });
    expect(
      parseInput(
        fields,
        new Map([
          ['n', '7'],
          ['on', 'false'],
        ]),
      ),
    ).toEqual({ n: 7, on: false, l: [1] });
  });
});

it('a sample body has a value of the type of each field', () => {
  expect(sampleBody('defined', TYPED)).toEqual({
    amount: 0,
    urgent: false,
    size: 's',
    day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    note: 'none',
  });
});
