import { createHash } from 'node:crypto';
import type { StepRecord } from '../../model/step.ts';
import { InputParts, partAt } from './input-parts.ts';
import { type StoredRecord, toStored } from './stored-record.ts';

/** Values whose JSON is longer are kept apart, once per content, and stand as a reference in what contains them. */
export const INLINE_CHARACTERS = 16 * 1024;

/**
 * First character of a text that holds references; JSON never starts with it. A text without it is plain JSON and is
 * never searched for references, so nothing that a user writes can be taken for one.
 */
const REFERENCES = '@';

/**
 * Within a text with references: `{"$blob": "<hash>"}` is a value that is kept apart, `{"$blob": ["body", "rows"]}` is a part
 * of the run's input, and `{"$blob": {...}}` is an object of the user that has this key itself.
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
  /** Remembers the input's parts besides: rows repeat them, the first one nearly always. */
  encodeInput(input: unknown): string;
  encodeRecord(record: StepRecord): string;
  encodeRecords(records: readonly StepRecord[]): string;
  /** Values kept apart since the last call. */
  takeBlobs(): readonly StoredBlob[];
}

const NONE: readonly StoredBlob[] = [];

/** Values that are stored apart, and what names them in the text. Nothing is made until a value is large. */
class KeptApart {
  #fresh: StoredBlob[] | undefined;
  #references: Map<unknown, string> | undefined;
  #hashes: Set<string> | undefined;

  findReference(value: unknown): string | undefined {
    return this.#references?.get(value);
  }

  /** Returns the reference. */
  add(value: unknown, content: string): string {
    const hash = createHash('sha256').update(content).digest('hex');
    this.#hashes ??= new Set();
    if (!this.#hashes.has(hash)) {
      this.#hashes.add(hash);
      (this.#fresh ??= []).push({ hash, content });
    }
    const reference = `{${KEY_TEXT}:"${hash}"}`;
    (this.#references ??= new Map()).set(value, reference);
    return reference;
  }

  /** Those added since the last call. */
  take(): readonly StoredBlob[] {
    const taken = this.#fresh ?? NONE;
    this.#fresh = undefined;
    return taken;
  }
}

export function createValueEncoder(): ValueEncoder {
  const apart = new KeptApart();
  let parts: InputParts | undefined;

  function condense(value: unknown): string {
    if (typeof value === 'string') {
      const known = value.length > INLINE_CHARACTERS ? apart.findReference(value) : undefined;
      const text = known ?? JSON.stringify(value);
      return known || text.length <= INLINE_CHARACTERS ? text : apart.add(value, text);
    }
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    const known = apart.findReference(value);
    if (known) return known;
    if (!isLarge(value)) {
      const text = JSON.stringify(value);
      if (!text.includes(KEY_TEXT)) return text;
    }
    const text = Array.isArray(value) ? `[${value.map(condense).join(',')}]` : condenseObject(value);
    return text.length <= INLINE_CHARACTERS ? text : apart.add(value, REFERENCES + text);
  }

  function condenseObject(value: object): string {
    const parts: string[] = [];
    for (const [key, child] of Object.entries(value)) {
      if (child !== undefined) parts.push(`${JSON.stringify(key)}:${condense(child)}`);
    }
    const text = `{${parts.join(',')}}`;
    return Object.hasOwn(value, KEY) ? `{${KEY_TEXT}:${text}}` : text;
  }

  function encode(value: unknown): string {
    const text = JSON.stringify(value) ?? 'null';
    if (text.length <= INLINE_CHARACTERS) return text;
    return REFERENCES + condense(value);
  }

  /** Short rows name what they share with the input; what is long is kept apart anyway, once. */
  function encodeRows(rows: (known?: InputParts) => unknown): string {
    if (parts === undefined) return encode(rows());
    const before = parts.used;
    const text = JSON.stringify(rows(parts));
    const used = parts.used - before;
    if (text.length > INLINE_CHARACTERS || occurrences(text, KEY_TEXT) > used) return encode(rows());
    return used === 0 ? text : REFERENCES + text;
  }

  return {
    encode,
    encodeInput(input) {
      parts = new InputParts(KEY, input);
      return encode(input);
    },
    encodeRecord: (record) => encodeRows((known) => storedRecord(record, known)),
    encodeRecords: (records) => encodeRows((known) => records.map((record) => storedRecord(record, known))),
    takeBlobs: () => apart.take(),
  };
}

function storedRecord(record: StepRecord, known: InputParts | undefined): StoredRecord {
  const output = 'output' in record ? record.output : null;
  return toStored(record, known ? known.inside(output) : output);
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
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

/**
 * The values behind stored texts, in the same order; null for null. Equal references become one object. The first text is
 * the input of the run that the others may name parts of.
 */
export async function decodeValues(
  texts: readonly (string | null)[],
  readBlobs: ReadBlobs,
): Promise<readonly unknown[]> {
  const contents = await contentsBehind(texts, readBlobs);
  const apart = new Map<string, unknown>();
  const values: unknown[] = [];
  const resolve: Resolve = (reference) => {
    if (typeof reference !== 'string') return partAt(values[0], reference);
    if (apart.has(reference)) return apart.get(reference);
    const content = contents.get(reference);
    if (content === undefined) throw new Error(`the stored value ${reference} is missing`);
    const value = decodeText(content, resolve);
    apart.set(reference, value);
    return value;
  };
  for (const text of texts) values.push(text === null ? null : decodeText(text, resolve));
  return values;
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

/** The value that a hash or a path into the input stands for. */
type Resolve = (reference: string | readonly string[]) => unknown;

function decodeText(text: string, resolve: Resolve): unknown {
  if (!text.startsWith(REFERENCES)) return JSON.parse(text);
  return expand(JSON.parse(text.slice(REFERENCES.length)), resolve);
}

function referencesIn(text: string): string[] {
  const found: string[] = [];
  decodeText(text, (reference) => {
    if (typeof reference === 'string') found.push(reference);
  });
  return found;
}

/** Keys of user data become own properties of plain objects, `__proto__` included, exactly as `JSON.parse` makes them. */
function expand(value: unknown, resolve: Resolve): unknown {
  if (Array.isArray(value)) return value.map((child) => expand(child, resolve));
  if (typeof value !== 'object' || value === null) return value;
  const marked = Object.hasOwn(value, KEY) ? (value as Record<string, unknown>)[KEY] : undefined;
  if (typeof marked === 'string' || Array.isArray(marked)) return resolve(marked as string | string[]);
  const object = typeof marked === 'object' && marked !== null ? marked : value;
  return Object.fromEntries(Object.entries(object).map(([key, child]) => [key, expand(child, resolve)]));
}
