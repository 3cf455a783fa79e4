import { isBlockedKey, type Json, parseExactJson } from '@millrace/engine';

/** Deeper JSON stays text: later steps walk values recursively. */
const MAX_DEPTH = 200;
const MAY_HOLD_BLOCKED_KEY = /__proto__|constructor|prototype|\\u/;

export interface JsonReading {
  /** Most levels of nested lists and objects. */
  readonly most_depth?: number;
  /** Also keys that could reach a prototype, as fields of the objects themselves. */
  readonly keeps_all_keys?: boolean;
}

/** The value of a JSON text, without keys that could reach a prototype; undefined when it is none, or too deep. */
export function parsedJson(
  text: string,
  { most_depth = MAX_DEPTH, keeps_all_keys = false }: JsonReading = {},
): Json | undefined {
  if (isTooDeep(text, most_depth)) return undefined;
  try {
    const isSafe = keeps_all_keys || !MAY_HOLD_BLOCKED_KEY.test(text);
    return (isSafe ? parseExactJson(text) : parseExactJson(text, withoutBlockedKeys)) as Json;
  } catch {
    return undefined;
  }
}

/** The same, with the text itself when it is no such JSON. */
export function jsonOrText(text: string): Json {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

/** Drops keys that could reach a prototype where the value is copied. */
function withoutBlockedKeys(key: string, value: unknown): unknown {
  return isBlockedKey(key) ? undefined : value;
}

function isTooDeep(text: string, most_depth: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === 92) at++;
      else if (code === 34) isInString = false;
    } else if (code === 34) {
      isInString = true;
    } else if (code === 91 || code === 123) {
      depth++;
      if (depth > most_depth) return true;
    } else if (code === 93 || code === 125) {
      depth--;
    }
  }
  return false;
}
