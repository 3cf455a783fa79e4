import { RE2JS } from 're2js';
import { MAX_PATTERN_LENGTH, MAX_PATTERN_PROGRAM } from '../limits.ts';

/** A pattern of a user that takes linear time on any text (RE2). */
export interface LinearPattern {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a pattern in the syntax of ECMAScript.
 *
 * @throws Error in plain words when it is too large or has what only backtracking can match: look-around and back-references
 */
export function linearPattern(source: string): LinearPattern {
  if (source.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new Error(`cannot be used (${why}); look-around and back-references are not supported`, {
      cause: error,
    });
  }
  if (compiled.programSize() > MAX_PATTERN_PROGRAM) throw new Error('is too large; use smaller repetitions');
  return { test: (text) => compiled.test(text), toString: () => `/${source}/` };
}
