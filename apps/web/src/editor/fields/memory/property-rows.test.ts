import { expect, test } from 'vitest';
import { propertyRows, toProperties } from './property-rows.ts';

const before = { age: 36, city: 'Rome', tags: ['a'] };

test('properties that were not changed keep their types', () => {
  expect(toProperties(propertyRows(before), before)).toEqual(before);
});

test('what a person writes is text, and rows without a name are left out', () => {
  const rows = [
    { name: 'age', value: '37' },
    { name: ' city ', value: 'Rome' },
    { name: ' ', value: 'x' },
  ];
  expect(toProperties(rows, before)).toEqual({ age: '37', city: 'Rome' });
});
