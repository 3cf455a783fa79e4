import type { Json, JsonObject } from '../json.ts';
import { secretForms } from './forms.ts';
import { Agreements, type Find, PhraseMatcher } from './phrase-matcher.ts';
import { SecretTextMask, type TextMask } from './stream-mask.ts';

/** §5.8: the number of characters that remain visible of a longer secret. */
const KEPT = 7;

export interface Masker {
  /** The value without secrets, in keys as well as values. The same object when it contains none. */
  mask<T>(value: T): T;
  maskText(text: string): string;
  /** For one text that comes in pieces. */
  textMask(): TextMask;
  readonly isEmpty: boolean;
}

/**
 * Masks credential values (§5.8): each one longer than 7 characters keeps its first 7, the rest becomes `**`, also
 * inside longer texts and in its base64, URL, JSON and HTML spellings. Shorter values are left unchanged, as the
 * specification requires.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const spelling of new Set([secret, secret.trim()])) {
      if (spelling.length > KEPT) for (const form of secretForms(spelling)) forms.add(form);
    }
  }
  if (forms.size === 0) return NOTHING_HIDDEN;
  const matcher = createMatcher([...forms]);
  let sorted: readonly string[] | undefined;
  return {
    isEmpty: false,
    mask: (value) => maskValue(value, matcher),
    maskText: (text) => (matcher.finds(text) ? matcher.replace(text) : text),
    textMask: () => new SecretTextMask((sorted ??= inOrder(forms)), { ...matcher, kept: KEPT }),
  };
}

/** The order of their code units, which is that of `<`. */
const inOrder = (forms: ReadonlySet<string>): string[] => [...forms].toSorted((a, b) => (a < b ? -1 : 1));

const NOTHING_HIDDEN: Masker = {
  isEmpty: true,
  mask: (value) => value,
  maskText: (text) => text,
  textMask: () => ({ add: (piece) => piece, end: () => '' }),
};

interface Matcher {
  finds(text: string): boolean;
  replace(text: string): string;
  groups(text: string): Find[];
  /** Some secret consists of digits, so numbers have to be checked. */
  readonly numeric: boolean;
}

function createMatcher(forms: readonly string[]): Matcher {
  const phrases = new PhraseMatcher(forms);
  return {
    numeric: forms.some((form) => /^[\d.+-]+$/.test(form)),
    finds: (text) => phrases.find(text) !== undefined,
    replace: (text) => replaceForms(text, phrases),
    groups: (text) => groupsIn(text, phrases),
  };
}

/** Where secrets are. Overlapping finds are one, so that the longest wins and no tail of another secret stays. */
function groupsIn(text: string, phrases: PhraseMatcher): Find[] {
  const groups: Find[] = [];
  const agreements = new Agreements();
  for (let find = phrases.find(text, 0, agreements); find; ) {
    const { start } = find;
    let { end } = find;
    let next = phrases.find(text, start + 1, agreements);
    for (; next && next.start < end; next = phrases.find(text, next.start + 1, agreements))
      end = Math.max(end, next.end);
    groups.push({ start, end });
    find = next;
  }
  return groups;
}

function replaceForms(text: string, phrases: PhraseMatcher): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end } of groupsIn(text, phrases)) {
    parts.push(text.slice(copied, start + KEPT), '**');
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

/** Searches first without copying, because most values contain no secret. Neither pass recurses: data may be deep. */
function maskValue<T>(value: T, matcher: Matcher): T {
  return holdsSecret(value, matcher) ? (rebuild(value as Json, matcher) as T) : value;
}

function holdsSecret(value: unknown, matcher: Matcher): boolean {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const part = stack.pop();
    if (typeof part === 'string') {
      if (matcher.finds(part)) return true;
    } else if (typeof part === 'number') {
      if (matcher.numeric && matcher.finds(String(part))) return true;
    } else if (Array.isArray(part)) {
      for (const item of part) stack.push(item);
    } else if (typeof part === 'object' && part !== null) {
      for (const key of Object.keys(part)) {
        if (matcher.finds(key)) return true;
        stack.push((part as JsonObject)[key]);
      }
    }
  }
  return false;
}

function rebuild(value: Json, matcher: Matcher): Json {
  const work: { from: Json[] | JsonObject; to: Json[] | JsonObject }[] = [];
  const copy = (part: Json): Json => {
    if (typeof part === 'string') return matcher.finds(part) ? matcher.replace(part) : part;
    if (typeof part === 'number') {
      return matcher.numeric && matcher.finds(String(part)) ? matcher.replace(String(part)) : part;
    }
    if (typeof part !== 'object' || part === null) return part;
    const to: Json[] | JsonObject = Array.isArray(part) ? [] : {};
    work.push({ from: part, to });
    return to;
  };
  const result = copy(value);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { from, to } = next;
    if (Array.isArray(from)) {
      for (const item of from) (to as Json[]).push(copy(item));
      continue;
    }
    for (const [key, part] of Object.entries(from)) {
      const name = freeKey(to as JsonObject, matcher.finds(key) ? matcher.replace(key) : key);
      // Plain assignment of a key `__proto__` would set the prototype instead.
      Object.defineProperty(to, name, {
        value: copy(part),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return result;
}

/** Two keys may look the same once they are masked; neither value is lost. */
function freeKey(object: JsonObject, key: string): string {
  let name = key;
  for (let suffix = 2; Object.hasOwn(object, name); suffix++) name = `${key}_${suffix}`;
  return name;
}
