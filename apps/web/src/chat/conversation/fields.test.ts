import { describe, expect, it } from 'vitest';
import { findBoxField, getFieldKind, readTyped, toTyped } from './fields.ts';

const FIELDS = [
  { key: 'text', defaultValue: null },
  { key: 'count', defaultValue: 3 },
  { key: 'loud', defaultValue: false },
  { key: 'extra', defaultValue: { a: 1 } },
];

describe('§4.4 the fields of a portal', () => {
  it('have the type of their default value', () => {
    expect(FIELDS.map(getFieldKind)).toEqual(['text', 'number', 'switch', 'json']);
    const text = { key: 'text', defaultValue: 'Hi' };
    const file = { key: 'photo', defaultValue: null, type: 'file' } as const;
    expect(findBoxField([text])).toBe(text);
    expect(findBoxField([file, text])).toBe(text);
    for (const form of [FIELDS, [{ key: 'count', defaultValue: 1 }], [file], []])
      expect(findBoxField(form)).toBeUndefined();
  });

  it('begin with their default values and become the inputs of the run with their types', () => {
    const typed = toTyped(FIELDS);
    expect(typed).toEqual({ text: '', count: '3', loud: false, extra: '{\n  "a": 1\n}' });
    expect(readTyped(FIELDS, { ...typed, text: 'Hi', count: '2,5', loud: true })).toEqual({
      inputs: { text: 'Hi', count: 2.5, loud: true, extra: { a: 1 } },
      problems: {},
    });
  });

  it('name what is wrong with them, and leave empty ones out', () => {
    const typed = { text: '', count: 'many', loud: false, extra: '{' };
    expect(readTyped(FIELDS, typed).problems).toEqual({ count: 'not_a_number', extra: 'not_json' });
    expect(readTyped(FIELDS, { ...typed, count: '', extra: ' ' })).toEqual({
      inputs: { text: '', loud: false },
      problems: {},
    });
    const [text] = FIELDS;
    expect(readTyped(FIELDS.slice(0, 1), { text: '' }).problems).toEqual({ text: 'missing' });
    // The box asks for no optional file.
    const photo = { key: 'photo', defaultValue: null, type: 'file' } as const;
    const fields = text ? [photo, text] : [];
    expect(readTyped(fields, { photo: '', text: '' }).problems).toEqual({ text: 'missing' });
  });

  it('are filled in again with what a question had', () => {
    expect(toTyped(FIELDS, { text: 'Hi', count: 9 })).toMatchObject({ text: 'Hi', count: '9' });
  });
});
