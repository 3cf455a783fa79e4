import type { Json } from '../json.ts';
import type { Failure, NodeResult } from './node-run.ts';

/**
 * Limit of all rows of a run when they are serialised. Outputs refer to each other, so a chain of nodes that each
 * include their input twice is small in memory but grows exponentially as text: it must be stopped before anything walks
 * or stores it. The same applies to many nodes that return the same large value, and to a loop that collects it.
 */
export interface RunBounds {
  readonly values: number;
  /** Characters of the JSON text, never underestimated. */
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
/** Size of a row besides its output: ids, times, numbers of frames. */
const ROW = { values: 20, characters: 512 } as const;
/** Reserved for the error flow, which runs when the limit may be used up. */
const ERROR_FLOW: RunBounds = { values: 100_000, characters: 4 * 1024 * 1024 };
/** Longest message of a failure; a row contains it several times. */
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
    'The results of this run are too large, or one is nested too deeply. Pass on only the fields that later nodes need, or work on the data in smaller parts.',
  final: true,
};

/** How much a run may still write. */
export class WriteBudget {
  #left: Left;

  constructor({ values = RUN_VALUES, characters = MAX_RUN_CHARACTERS }: Partial<RunBounds> = {}) {
    this.#left = { values, characters };
  }

  /** False when a row cannot hold the value; nothing is taken then. The cost is bounded by what is left, however large it is. */
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

  /** The result, or a failure in place of one that is too large to store. */
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

  /** A failure keeps its place in history, even if its details are too large. */
  takeFailure(failure: Failure): Failure {
    const { message, details } = failure;
    const kept =
      message.length > MAX_MESSAGE ? { ...failure, message: `${message.slice(0, MAX_MESSAGE)}…` } : failure;
    if (details === undefined || this.take(details)) return kept;
    const { details: _, ...bare } = kept;
    return bare;
  }
}
