import type { DataColumn, DataColumnType } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { buildFilter, type Operator } from './filter.ts';

const column = (name: string, type: DataColumnType): DataColumn => ({
  id: name,
  name,
  type,
  required: false,
  unique: false,
  defaultValue: null,
  order: 0,
});
const COLUMNS = [column('s', 'string'), column('n', 'number'), column('b', 'boolean'), column('d', 'date')];

test.each<[string, Operator, string, object]>([
  ['s', 'contains', 'x', { s: { $contains: 'x' } }],
  ['s', 'contains', ' ', {}],
  ['s', 'empty', '', { s: { $eq: null } }],
  ['s', 'not_empty', 'left over', { s: { $ne: null } }],
  ['n', 'gte', '1.5', { n: { $gte: '1.5' } }],
  ['n', 'gte', '-', {}],
  ['b', 'is_false', '', { b: { $eq: false } }],
  ['b', 'contains', 'x', {}],
  ['d', 'lt', '2026-01-31', { d: { $lt: '2026-01-31' } }],
  ['d', 'lt', '2026-1', {}],
  ['gone', 'eq', 'x', {}],
])('%s %s %j asks for %j', (name, operator, value, filter) => {
  expect(buildFilter(COLUMNS, { column: name, operator, value })).toEqual(filter);
});
