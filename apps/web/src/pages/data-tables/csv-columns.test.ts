import { expect, test } from 'vitest';
import { guessColumns } from './csv-columns.ts';

const preview = (names: string[], ...rows: string[][]) => ({
  headers: names.map((header) => ({ header, column: null })),
  rows,
});

test('columns have the types that all values of the first rows allow', () => {
  const file = preview(
    ['name', 'price', 'paid', 'code', 'note', ''],
    ['Ada', '12.50', 'true', '007', '', 'x'],
    ['Grace', '-3', 'FALSE', '12', '', 'y'],
    ['Alan', '', '', '1e3', '', 'z'],
  );
  expect(guessColumns(file)).toEqual({
    name: 'string',
    price: 'number',
    paid: 'boolean',
    code: 'string',
    note: 'string',
  });
});
