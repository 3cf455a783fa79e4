import type { GlobalVariableType } from '@millrace/contracts';
import { isBlockedKey, isJsonObject, losesDigits, parseExactJson, readTruth } from '@millrace/engine';

/** The value cannot be read as the type; `message` completes "value ...". */
export class CoercionError extends Error {}

const TOO_LARGE = 'has more digits than a number can keep; use a text instead';
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function toNumber(value: unknown): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && losesDigits(value.trim())) throw new CoercionError(TOO_LARGE);
  const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new CoercionError('is not a number');
}

function toBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const truth = typeof value === 'number' || typeof value === 'string' ? readTruth(String(value)) : undefined;
  if (truth !== undefined) return truth;
  throw new CoercionError('is neither true nor false');
}

/** JSON text counts as what it says, so that a form field can hold a list. */
export function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseExactJson(value, (key, item) => {
      if (isBlockedKey(key)) throw new CoercionError('holds a reserved key');
      return item;
    });
  } catch (error) {
    if (error instanceof CoercionError) throw error;
    return value;
  }
}

function toArray(value: unknown): unknown[] {
  const parsed = fromText(value);
  if (Array.isArray(parsed)) return parsed;
  throw new CoercionError('is not a list');
}

function toObject(value: unknown): unknown {
  const parsed = fromText(value);
  if (isJsonObject(parsed)) return parsed;
  throw new CoercionError('is not an object');
}

/** The value as the type stores it. Throws `CoercionError`. */
export function coerce(value: unknown, type: GlobalVariableType): unknown {
  switch (type) {
    case 'auto':
      return value ?? null;
    case 'string':
      return toText(value);
    case 'number':
      return toNumber(value);
    case 'boolean':
      return toBoolean(value);
    case 'array':
      return toArray(value);
    case 'object':
      return toObject(value);
    default: {
      const unknown: never = type;
      return unknown;
    }
  }
}
