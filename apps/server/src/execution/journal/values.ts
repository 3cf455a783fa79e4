import { createHash } from 'node:crypto';

/** Values whose JSON is longer are kept apart, once per content, and stand as a reference in what contains them. */
export const INLINE_CHARACTERS = 16 * 1024;

/**
 * First character of a text that holds references; JSON never starts with it. A text without it is plain JSON and is
 * never searched for references, so nothing that a user writes can be taken for one.
 */
const REFERENCES = '@';

/**
 * Within a text with references: `{"$blob": "<hash>"}` is one, and `{"$blob": {...}}` is an object of the user that has
 * this key itself.
 */
const KEY = '$blob';
const KEY_TEXT = JSON.stringify(KEY);

/** A value that is kept apart. */
export interface StoredBlob {
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  readonly content: string;
}

/** Turns the values of one run into text. What it saw before, by identity or by content, it stores once. */
export interface ValueEncoder {
  encode(value: unknown): string;
  /** Values kept apart since the last call. */
  takeBlobs(): readonly StoredBlob[];
}

const NONE: readonly StoredBlob[] = [];

export function createValueEncoder(): ValueEncoder {
  let fresh: StoredBlob[] | undefined;
  let references: Map<unknown, string> | undefined;
  let hashes: Set<string> | undefined;

  function keepApart(value: unknown, content: string): string {
    const hash = createHash('sha256').update(content).digest('hex');
    hashes ??= new Set();
    if (!hashes.has(hash)) {
      hashes.add(hash);
      (fresh ??= []).push({ hash, content });
    }
    const reference = `{${KEY_TEXT}:"${hash}"}`;
    (references ??= new Map()).set(value, reference);
    return reference;
  }

  function condense(value: unknown): string {
    if (typeof value === 'string') {
      const known = value.length > INLINE_CHARACTERS ? references?.get(value) : undefined;
      const text = known ?? JSON.stringify(value);
      return known || text.length <= INLINE_CHARACTERS ? text : keepApart(value, text);
    }
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    const known = references?.get(value);
    if (known) return known;
    if (!isLarge(value)) {
      const text = JSON.stringify(value);
      if (!text.includes(KEY_TEXT)) return text;
    }
    const text = Array.isArray(value) ? `[${value.map(condense).join(',')}]` : condenseObject(value);
    return text.length <= INLINE_CHARACTERS ? text : keepApart(value, REFERENCES + text);
  }

  function condenseObject(value: object): string {
    const parts: string[] = [];
    for (const [key, child] of Object.entries(value)) {
      if (child !== undefined) parts.push(`${JSON.stringify(key)}:${condense(child)}`);
    }
    const text = `{${parts.join(',')}}`;
    return Object.hasOwn(value, KEY) ? `{${KEY_TEXT}:${text}}` : text;
  }

  return {
    encode(value) {
      const text = JSON.stringify(value) ?? 'null';
      if (text.length <= INLINE_CHARACTERS) return text;
      return REFERENCES + condense(value);
    },
    takeBlobs() {
      const taken = fresh ?? NONE;
      fresh = undefined;
      return taken;
    },
  };
}

/** Whether the JSON of a value is surely longer than what stays inline; stops counting there. */
function isLarge(value: object): boolean {
  let room = INLINE_CHARACTERS;
  const pending: unknown[] = [value];
  while (pending.length > 0 && room >= 0) {
    const next = pending.pop();
    if (typeof next === 'string') room -= next.length + 2;
    else if (typeof next !== 'object' || next === null) room -= 4;
    else if (Array.isArray(next)) {
      room -= 2 + next.length;
      pending.push(...next.slice(0, room + 1));
    } else {
      for (const [key, child] of Object.entries(next)) {
        room -= key.length + 4;
        if (room < 0) return true;
        pending.push(child);
      }
    }
  }
  return room < 0;
}

/** Reads the contents of values that are kept apart. */
export type ReadBlobs = (hashes: readonly string[]) => Promise<readonly StoredBlob[]>;

/** The values behind stored texts, in the same order; null for null. Equal references become one object. */
export async function decodeValues(
  texts: readonly (string | null)[],
  readBlobs: ReadBlobs,
): Promise<readonly unknown[]> {
  const contents = await contentsBehind(texts, readBlobs);
  const values = new Map<string, unknown>();
  const resolve = (hash: string): unknown => {
    if (values.has(hash)) return values.get(hash);
    const content = contents.get(hash);
    if (content === undefined) throw new Error(`the stored value ${hash} is missing`);
    const value = decodeText(content, resolve);
    values.set(hash, value);
    return value;
  };
  return texts.map((text) => (text === null ? null : decodeText(text, resolve)));
}

async function contentsBehind(
  texts: readonly (string | null)[],
  readBlobs: ReadBlobs,
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  let unread = texts;
  while (unread.length > 0) {
    const wanted = new Set(unread.flatMap((text) => (text === null ? [] : referencesIn(text))));
    for (const hash of contents.keys()) wanted.delete(hash);
    const read = wanted.size > 0 ? await readBlobs([...wanted]) : [];
    for (const { hash, content } of read) contents.set(hash, content);
    unread = read.map(({ content }) => content);
  }
  return contents;
}

function decodeText(text: string, resolve: (hash: string) => unknown): unknown {
  if (!text.startsWith(REFERENCES)) return JSON.parse(text);
  return expand(JSON.parse(text.slice(REFERENCES.length)), resolve);
}

function referencesIn(text: string): string[] {
  const found: string[] = [];
  decodeText(text, (hash) => void found.push(hash));
  return found;
}

/** Keys of user data become own properties of plain objects, `__proto__` included, exactly as `JSON.parse` makes them. */
function expand(value: unknown, resolve: (hash: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((child) => expand(child, resolve));
  if (typeof value !== 'object' || value === null) return value;
  const marked = Object.hasOwn(value, KEY) ? (value as Record<string, unknown>)[KEY] : undefined;
  if (typeof marked === 'string') return resolve(marked);
  const object = typeof marked === 'object' && marked !== null ? marked : value;
  return Object.fromEntries(Object.entries(object).map(([key, child]) => [key, expand(child, resolve)]));
}
