import { DateValue } from '../dates/date-value.ts';
import { CHARACTERS_PER_STEP, ExpressionError, MAX_STEPS, MAX_TEXT_LENGTH } from '../limits.ts';
import { hasSurrogates } from '../values/unicode.ts';

/**
 * Names without `$` outside of arguments, where the text may be no expression at all: the value, or null; only values
 * that exist; or always a word of a text.
 */
export type BareNames = 'value' | 'existing value' | 'word';

/** The meaning of names at one place of an expression. */
export interface Names {
  /** Comprehension variables and `item`, to their slots. */
  readonly local: ReadonlyMap<string, number>;
  readonly slots: { count: number };
  readonly bare_names: BareNames;
  readonly inItem: boolean;
  /** Slot of `$item` in an item expression inside another one: the outer element. */
  readonly outerItem?: number;
}

/** `is_hidden`: the form hides it for the current choices, so its value is not used. */
export interface ReadParameter {
  readonly field: string;
  readonly is_hidden: boolean;
}

/** The part of the world that an expression may know. Values are plain JSON data; nothing else is ever read from them. */
export interface Scope {
  /** A top-level name; undefined when there is none of that name. */
  lookup(name: string): unknown;
  /** `$input.key`, when it is more than a key of `lookup('input')` (several inputs, or a label). */
  inputMember?(key: string): unknown;
  /** Epoch milliseconds. */
  now(): number;
  /** 32 hexadecimal characters. */
  uuid(): string;
  /** At least 0, less than 1. */
  random(): number;
  /** IANA zone, for `$now` and for dates without offset. */
  timezone: string;
  /** The parameter that is being evaluated, set while the parameters of a node are read. */
  reading?: ReadParameter | null;
  /**
   * Records an unresolved reference; the text shows `instead`. May throw `ExpressionError` `unresolved` to reject
   * the text.
   */
  noteUnresolved?(reference: string, instead: string): void;
}

/** State of one evaluation. */
export class Context {
  readonly scope: Scope;
  /** Values of comprehension variables and of `item`, by position fixed at compile time. */
  readonly slots: unknown[];
  /** Work units left. */
  left: number;
  /** A list, object or date was made here, so the result must be settled before it leaves. */
  built = false;

  constructor(scope: Scope, slots: number) {
    this.scope = scope;
    this.slots = slots === 0 ? NO_SLOTS : emptySlots(slots);
    this.left = MAX_STEPS;
  }
}

const NO_SLOTS: unknown[] = [];

/** Array.from would cost more than most evaluations. */
function emptySlots(count: number): unknown[] {
  const slots: unknown[] = [];
  for (let slot = 0; slot < count; slot++) slots.push(null);
  return slots;
}

/** A compiled expression part. */
export type Code = (context: Context) => unknown;

/** Why an operation has no value. Ends as null, as text or as false, by mode; it never leaves an evaluation. */
export class NoValue {
  readonly message: string;
  /** A bare word names nothing: the text may be no expression at all. */
  readonly isUnknownName: boolean;

  constructor(message: string, isUnknownName = false) {
    this.message = message;
    this.isUnknownName = isUnknownName;
  }
}

/** Takes work units from the budget. Throws ExpressionError `budget` when there are none left. */
export function spend(context: Context, units: number): void {
  // Nothing may give work back.
  if (units > 0) context.left -= units;
  if (context.left < 0) {
    throw new ExpressionError(
      'budget',
      'This expression takes too much work. Process less data in one step.',
    );
  }
}

/** Pays for a text before or after it is made, and refuses one that is too long. */
export function spendText(context: Context, length: number): void {
  if (length > MAX_TEXT_LENGTH) {
    const message = `An expression may produce at most ${MAX_TEXT_LENGTH} characters of text.`;
    throw new ExpressionError('budget', message);
  }
  spend(context, 1 + length / CHARACTERS_PER_STEP);
}

/** Pays for reading a text by its characters, which is slow when some of them take two units. */
export function spendCharacters(context: Context, text: string): void {
  spend(context, 1 + (hasSurrogates(text) ? text.length : text.length / CHARACTERS_PER_STEP));
}

export function produceText(context: Context, text: string): string {
  spendText(context, text.length);
  return text;
}

/** Marks and pays for a list that holds values of its own making. */
export function produceList(context: Context, list: unknown[]): unknown[] {
  context.built = true;
  spend(context, 1 + list.length);
  return list;
}

export function produceDate(context: Context, date: DateValue | null): DateValue | null {
  context.built = true;
  if (date !== null) spendDate(context, date);
  return date;
}

/** Zones other than UTC ask the platform's calendar, which is slow. */
export function spendDate(context: Context, date: DateValue): void {
  spend(context, date.zone === 'UTC' ? 20 : 1_000);
}

export function currentDate(context: Context): DateValue | null {
  return produceDate(context, new DateValue(Math.floor(context.scope.now()), context.scope.timezone));
}
