import type { Json } from '@millrace/engine';

/** Lists and objects inside of each other; no file of n8n comes near. */
export const MOST_LEVELS = 200;

/** True for what is nested so deep that a walk through it could run out of stack. */
export function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** The value of JSON in a text. Throws for what is none, or is nested too deep. */
export function jsonIn(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (isTooDeep(value)) throw new SyntaxError(`Nested deeper than ${MOST_LEVELS} levels`);
  return value;
}
