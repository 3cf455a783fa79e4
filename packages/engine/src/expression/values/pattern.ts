import { MatcherInput, RE2JS } from 're2js';
import { type Context, NoValue, spend, spendText } from '../evaluate/context.ts';
import { MAX_PATTERN_LENGTH, MAX_PATTERN_PROGRAM } from '../limits.ts';

const MAX_PATTERNS = 100;
const patterns = new Map<string, RE2JS>();

/** `\1`, `\g<1>`, `\g<name>` and `$1`, `${name}` in a replacement. */
const REFERENCE = /\\g<([A-Za-z_0-9]+)>|\\([0-9])|\$([0-9])|\$\{([A-Za-z_0-9]+)\}|\\\\/g;

/**
 * Replaces all matches of a user's pattern. Patterns run in linear time (RE2), and every character that the
 * matcher reads is paid for, so no pattern and no text can hold the thread.
 * Throws NoValue for a pattern that is not valid.
 */
export function replacePattern(
  context: Context,
  text: string,
  { pattern, replacement }: { pattern: string; replacement: string },
): string {
  const compiled = compilePattern(context, pattern);
  const template = parseReplacement(replacement, compiled);
  const parts: string[] = [];
  let from = 0;
  visitMatches(context, { text, pattern, compiled }, (matcher) => {
    parts.push(text.slice(from, matcher.start()));
    for (const part of template) parts.push(typeof part === 'string' ? part : groupText(matcher, part));
    spend(context, 10 + template.length * 2 + replacement.length / 16);
    from = matcher.end();
  });
  parts.push(text.slice(from));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  spendText(context, length);
  return parts.join('');
}

/** The texts of all matches. Throws NoValue for a pattern that is not valid. */
export function findAllMatches(context: Context, text: string, pattern: string): string[] {
  const compiled = compilePattern(context, pattern);
  const found: string[] = [];
  visitMatches(context, { text, pattern, compiled }, (matcher) => {
    const match = groupText(matcher, 0);
    spendText(context, match.length);
    spend(context, 10);
    found.push(match);
  });
  return found;
}

function visitMatches(
  context: Context,
  { text, pattern, compiled }: { text: string; pattern: string; compiled: RE2JS },
  visit: (matcher: Matcher) => void,
): void {
  const matcher = compiled.matcher(MatcherInput.utf16(meter(context, text, 1 + compiled.programSize() / 3)));
  try {
    while (matcher.find()) visit(matcher);
  } catch (error) {
    // A match that was cut off may leave the pattern's scratch memory half written.
    patterns.delete(pattern);
    throw error;
  }
}

type Matcher = ReturnType<RE2JS['matcher']>;

function groupText(matcher: Matcher, index: number): string {
  return matcher.group(index) ?? '';
}

function compilePattern(context: Context, pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new NoValue(`A pattern may have at most ${MAX_PATTERN_LENGTH} characters.`);
  }
  const compiled = patterns.get(pattern) ?? createPattern(pattern);
  const size = compiled.programSize();
  // Paid for on every use: whether a pattern is still in the cache must not decide over success.
  spend(context, 50 + size * 20);
  if (size > MAX_PATTERN_PROGRAM) throw new NoValue('This pattern is too large.');
  patterns.delete(pattern);
  patterns.set(pattern, compiled);
  if (patterns.size > MAX_PATTERNS) patterns.delete(patterns.keys().next().value ?? pattern);
  return compiled;
}

function createPattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new NoValue(
      `This pattern is not valid: ${error instanceof Error ? error.message : 'unknown reason'}`,
    );
  }
}

function parseReplacement(replacement: string, pattern: RE2JS): (string | number)[] {
  const parts: (string | number)[] = [];
  let from = 0;
  for (const found of replacement.matchAll(REFERENCE)) {
    const name = found[1] ?? found[2] ?? found[3] ?? found[4];
    const group = name === undefined ? null : groupIndex(pattern, name);
    if (name !== undefined && group === null) continue;
    parts.push(replacement.slice(from, found.index), group ?? '\\');
    from = found.index + found[0].length;
  }
  parts.push(replacement.slice(from));
  return parts;
}

function groupIndex(pattern: RE2JS, name: string): number | null {
  const index = /^[0-9]+$/.test(name)
    ? Number(name)
    : new Map(Object.entries(pattern.namedGroups())).get(name);
  return index !== undefined && index <= pattern.groupCount() ? index : null;
}

/** A text that counts what is read of it. The matcher accepts String objects, which is all this relies on. */
class MeteredText extends String {
  readonly #text: string;
  readonly #context: Context;
  readonly #price: number;

  constructor(context: Context, text: string, price: number) {
    super(text);
    this.#text = text;
    this.#context = context;
    this.#price = price;
  }

  override charCodeAt(index: number): number {
    spend(this.#context, this.#price);
    return this.#text.charCodeAt(index);
  }

  override indexOf(search: string, from = 0): number {
    const found = this.#text.indexOf(search, from);
    spend(this.#context, 1 + ((found === -1 ? this.#text.length : found) - from) / 16);
    return found;
  }

  override substring(start: number, end?: number): string {
    return this.#text.substring(start, end);
  }
}

function meter(context: Context, text: string, price: number): string {
  return new MeteredText(context, text, price) as unknown as string;
}
