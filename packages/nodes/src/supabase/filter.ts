import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../kit/refused-param.ts';

const OPERATORS = new Set(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'ilike', 'is']);

const wrong = (words: string) => refusedParam('supabaseFilter', words);

/** In lists and groups a value with a reserved character is in quotation marks (PostgREST, "Reserved characters"). */
const quote = (text: string): string =>
  /^[\p{L}\p{N}_+-]+$/u.test(text) ? text : `"${text.replace(/["\\]/g, (char) => `\\${char}`)}"`;

function toText(value: Json): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

interface Condition {
  readonly column: string;
  readonly operator: string;
  readonly value: Json;
}

function operand({ column, operator, value }: Condition, isInGroup: boolean): string {
  if (operator === 'in') {
    if (!Array.isArray(value)) throw wrong(`${column}: "in" needs a list`);
    return `(${value.map((one) => quote(toText(one))).join(',')})`;
  }
  return isInGroup && operator !== 'is' ? quote(toText(value)) : toText(value);
}

/** The conditions on a column; a value alone means equality, and null is only found by `is`. */
function conditionsOn(column: string, value: Json): Condition[] {
  if (value === null) return [{ column, operator: 'is', value }];
  if (Array.isArray(value)) return [{ column, operator: 'in', value }];
  if (!isJsonObject(value)) return [{ column, operator: 'eq', value }];
  return Object.entries(value).map(([operator, one]) => {
    if (!OPERATORS.has(operator)) throw wrong(`${column}: unknown operator "${operator}"`);
    return one === null && operator === 'eq'
      ? { column, operator: 'is', value: one }
      : { column, operator, value: one };
  });
}

function groupMembers(key: string, value: Json): JsonObject[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isJsonObject)) return value;
  throw wrong(`"${key}" needs a list of filters such as [{"status": "open"}, {"total": {"gt": 10}}]`);
}

const isGroup = (key: string, value: Json): boolean =>
  (key === 'or' || key === 'and') && Array.isArray(value);

/** A filter inside of a group: its conditions joined by "and". */
function member(filter: JsonObject): string {
  const parts = Object.entries(filter).flatMap(([key, value]) =>
    isGroup(key, value)
      ? [`${key}(${groupMembers(key, value).map(member).join(',')})`]
      : conditionsOn(key, value).map((one) => `${quote(one.column)}.${one.operator}.${operand(one, true)}`),
  );
  const [only] = parts;
  if (only === undefined) throw wrong('must not have an empty filter in a list');
  return parts.length === 1 ? only : `and(${parts.join(',')})`;
}

/**
 * Parts of the query of an address, which say the same as the filter. Conditions on one column are repeated.
 *
 * @see https://docs.postgrest.org/en/stable/references/api/tables_views.html#horizontal-filtering
 */
export function filterQuery(filter: JsonObject): [name: string, value: string][] {
  return Object.entries(filter).flatMap(([key, value]): [string, string][] =>
    isGroup(key, value)
      ? [[key, `(${groupMembers(key, value).map(member).join(',')})`]]
      : conditionsOn(key, value).map((one) => [one.column, `${one.operator}.${operand(one, false)}`]),
  );
}
