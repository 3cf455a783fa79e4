import type { DataColumn, DataColumnType } from '@millrace/contracts';

export type Operator =
  | 'contains'
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'is_true'
  | 'is_false'
  | 'empty'
  | 'not_empty';

export interface Condition {
  readonly column: string;
  readonly operator: Operator;
  readonly value: string;
}

const EMPTY = ['empty', 'not_empty'] as const;
const ORDERED = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', ...EMPTY] as const;

/** The operators for a column; the first one is where a new condition begins. */
export const OPERATORS: Readonly<Record<DataColumnType, readonly Operator[]>> = {
  string: ['contains', ...ORDERED],
  number: ORDERED,
  date: ORDERED,
  boolean: ['is_true', 'is_false', ...EMPTY],
  json: ['contains', ...EMPTY],
};

const WITHOUT_VALUE = new Set<Operator>(['is_true', 'is_false', ...EMPTY]);
export const takesValue = (operator: Operator): boolean => !WITHOUT_VALUE.has(operator);

const DAY = /^\d{4}-\d{2}-\d{2}/;

/** Whether the value is far enough typed to be asked for. */
function isWhole(type: DataColumnType, value: string): boolean {
  if (value.trim() === '') return false;
  if (type === 'number') return Number.isFinite(Number(value));
  return type === 'date' ? DAY.test(value.trim()) && !Number.isNaN(Date.parse(value.trim())) : true;
}

/** The filter of the API; `{}` while the condition asks for nothing. */
export function buildFilter(columns: readonly DataColumn[], condition: Condition): Record<string, unknown> {
  const { column: name, operator, value } = condition;
  const column = columns.find((each) => each.name === name);
  if (!column || !OPERATORS[column.type].includes(operator)) return {};
  if (takesValue(operator)) return isWhole(column.type, value) ? { [name]: { [`$${operator}`]: value } } : {};
  if (operator === 'is_true' || operator === 'is_false') return { [name]: { $eq: operator === 'is_true' } };
  return { [name]: { [operator === 'empty' ? '$eq' : '$ne']: null } };
}
