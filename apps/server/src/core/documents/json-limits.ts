import { isBlockedKey } from '@millrace/engine';
import { AppError } from '../app-error.ts';

/** Bounds of a parsed request body; generous for data, small enough that no body can exhaust the process. */
export const BODY_LIMITS = {
  /** Levels of nested lists and objects. */
  depth: 64,
  /** Keys in one object. */
  keys: 10_000,
  /** Values in the whole body. */
  values: 1_000_000,
} as const;

type Path = (string | number)[];

export function refuseBody(loc: Path, msg: string, type: string): AppError {
  return new AppError('invalid_input', `The body ${msg}`, { detail: [{ loc, msg, type }] });
}

export interface ScanLimits {
  readonly depth: number;
  readonly values: number;
}

const tooDeep = (place: string, { depth }: ScanLimits = BODY_LIMITS) =>
  refuseBody([place], `is nested more than ${depth} levels deep`, 'too_deep');
const tooMany = (place: string, { values }: ScanLimits = BODY_LIMITS) =>
  refuseBody([place], `holds more than ${values} values`, 'too_many_values');

/** Smaller texts cannot hold enough brackets or commas to hurt before the walk below finds them. */
const SCAN_FROM_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Index behind the string that starts at `start`; its content does not matter. */
function skipString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at;
}

/**
 * Looks at JSON before it is parsed: parsing millions of nested lists would take more memory than the process has.
 * Reads bytes, builds nothing.
 */
export function requireParsable(bytes: Uint8Array, limits: ScanLimits = BODY_LIMITS): void {
  if (bytes.length < SCAN_FROM_BYTES) return;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      continue;
    }
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limits.depth) throw tooDeep('body', limits);
      values++;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === COMMA) values++;
    if (values > limits.values) throw tooMany('body', limits);
    at++;
  }
}

interface Level {
  readonly value: object;
  readonly depth: number;
}

/**
 * Checks depth, counts and keys of parsed input without recursion. Keys that could reach a prototype are refused
 * wherever they stand, for every object of the body becomes an object that nodes work with.
 */
export function requireSafeJson(root: unknown, place: 'body' | 'query'): void {
  if (typeof root !== 'object' || root === null) return;
  const open: Level[] = [{ value: root, depth: 1 }];
  let values = 0;
  for (let level = open.pop(); level; level = open.pop()) {
    const { value, depth } = level;
    if (depth > BODY_LIMITS.depth) throw tooDeep(place);
    const items = Array.isArray(value) ? value : checkedValues(value, place);
    values += items.length;
    if (values > BODY_LIMITS.values) throw tooMany(place);
    for (const item of items) {
      if (typeof item === 'object' && item !== null) open.push({ value: item as object, depth: depth + 1 });
    }
  }
}

function checkedValues(value: object, place: string): unknown[] {
  const keys = Object.keys(value);
  if (keys.length > BODY_LIMITS.keys)
    throw refuseBody([place], `has an object with more than ${BODY_LIMITS.keys} keys`, 'too_many_keys');
  for (const key of keys) {
    if (isBlockedKey(key))
      throw refuseBody([place, key], `has the reserved key "${key}"; rename it`, 'reserved_key');
  }
  return Object.values(value);
}
