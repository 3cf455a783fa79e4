import type { Json } from '../json.ts';
import type { Failure, NodeResult } from './node-run.ts';

/**
 * What all rows of a run may hold when they are written out. Outputs refer to each other, so a chain of nodes that each
 * name their input twice is small in memory and has no end on paper: it must be stopped before anything walks or stores
 * it. The same holds for many nodes that each answer with the same large value, and for a loop that collects it.
 */
export interface RunBounds {
  readonly values: number;
  /** Characters of the JSON text, never counted too low. */
  readonly characters: number;
}

/**
 * The last frame of a stream holds the rows and the outputs, which are rows again, in one text, and no text is longer
 * than 2^29 - 25 characters.
 */
export const MAX_RUN_CHARACTERS = 240 * 1024 * 1024;
const RUN_VALUES = 10_000_000;
/** Levels of nested lists and objects of one value. */
const DEPTH = 500;
/** What a row holds besides its output: ids, times, numbers of frames. */
const ROW = { values: 20, characters: 512 } as const;
/** What the error flow may write at least, for it runs when there may be nothing left. */
const ERROR_FLOW: RunBounds = { values: 100_000, characters: 4 * 1024 * 1024 };
/** Longest message of a failure; it stands in several places of a row. */
const MAX_MESSAGE = 16 * 1024;

/** `-1.7976931348623157e+308` and a comma. */
const NUMBER_CHARACTERS = 25;
/** Quotes, a comma, and a colon behind a key. */
const TEXT_CHARACTERS = 4;
/** `false`, `null`, brackets, and a comma. */
const OTHER_CHARACTERS = 6;

/** `JSON.stringify` writes these, but for pairs of surrogates, as two or six characters. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function textCharacters(text: string): number {
  if (!ESCAPED.test(text)) return text.length + TEXT_CHARACTERS;
  let characters = text.length + TEXT_CHARACTERS;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) characters += 1;
    else if (code < 0x20) characters += 5;
    else if (code >= 0xd800 && code <= 0xdfff) {
      if (isPair(text, at)) at++;
      else characters += 5;
    }
  }
  return characters;
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

interface Left {
  values: number;
  characters: number;
}

function fitsIn(value: Json, left: Left, depth: number): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= textCharacters(value);
  else left.characters -= typeof value === 'number' ? NUMBER_CHARACTERS : OTHER_CHARACTERS;
  if (left.values < 0 || left.characters < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!fitsIn(item, left, depth - 1)) return false;
    return true;
  }
  for (const key in value) {
    left.characters -= textCharacters(key);
    const item = value[key];
    if (item !== undefined && !fitsIn(item, left, depth - 1)) return false;
  }
  return true;
}

export const TOO_LARGE: Failure = {
  kind: 'limit',
  message:
    'The results of this run are too large, or one is nested too deeply. Hand on only the fields that later nodes need, or work on the data in smaller parts.',
  final: true,
};

/** How much a run may still write. */
export class WriteBudget {
  #left: Left;

  constructor({ values = RUN_VALUES, characters = MAX_RUN_CHARACTERS }: Partial<RunBounds> = {}) {
    this.#left = { values, characters };
  }

  /** False when a row cannot hold the value; nothing is taken then. Costs no more than what is left, however large it is. */
  take(value: Json): boolean {
    const left = { ...this.#left };
    if (!fitsIn(value, left, DEPTH)) return false;
    this.#left = left;
    return true;
  }

  /** A row was written. */
  takeRow(label: string): void {
    this.#left.values -= ROW.values;
    this.#left.characters -= ROW.characters + label.length;
  }

  beginErrorFlow(): void {
    this.#left.values = Math.max(this.#left.values, ERROR_FLOW.values);
    this.#left.characters = Math.max(this.#left.characters, ERROR_FLOW.characters);
  }

  /** The result, or the failure that stands in for one which nothing could store. */
  takeResult(result: NodeResult): NodeResult {
    if ('failure' in result) return { ...result, failure: this.takeFailure(result.failure) };
    if ('suspension' in result) return this.take(result.suspension.payload) ? result : { failure: TOO_LARGE };
    const { output, variables, metadata } = result;
    const fits =
      this.take(output) &&
      (variables === undefined || variables.every(({ value }) => this.take(value))) &&
      (metadata === undefined || this.take(metadata));
    return fits ? result : { failure: TOO_LARGE };
  }

  /** A failure keeps its place in history, whatever it wanted to tell. */
  takeFailure(failure: Failure): Failure {
    const { message, details } = failure;
    const kept =
      message.length > MAX_MESSAGE ? { ...failure, message: `${message.slice(0, MAX_MESSAGE)}…` } : failure;
    if (details === undefined || this.take(details)) return kept;
    const { details: _, ...bare } = kept;
    return bare;
  }

  toJSON(): RunBounds {
    return { ...this.#left };
  }
}
