import type { Json } from '@millrace/engine';

/** A value of a row as JSON: numbers that JSON does not have are text. */
export function plain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'object':
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
      if (Buffer.isBuffer(value)) return value.toString('base64');
      if (Array.isArray(value)) return value.map(plain);
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
    default:
      return null;
  }
}
