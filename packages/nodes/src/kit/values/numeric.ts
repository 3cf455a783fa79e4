import { type FieldOptions, field } from '@millrace/engine';
import { z } from 'zod';

const NUMBER_TEXT = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/** The number that decimal text spells, or undefined. Hexadecimal, `Infinity` and empty text spell none. */
export function parseNumber(text: string): number | undefined {
  if (!NUMBER_TEXT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

export interface NumericOptions extends FieldOptions {
  min: number;
  max: number;
  integer?: boolean;
}

/** A number within bounds, also written as text, because exports store many numbers that way. */
export function numeric(title: string, options: NumericOptions) {
  const { min, max, integer, ...meta } = options;
  const wanted = `must be ${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`;
  const schema = z
    .union([z.number(), z.string()], { error: wanted })
    .transform((value) => (typeof value === 'number' ? value : parseNumber(value)))
    .refine((value) => value !== undefined && value >= min && value <= max, { error: wanted, abort: true })
    .refine((value) => !integer || Number.isInteger(value), { error: wanted })
    .transform(Number);
  return field.custom(schema, title, { kind: 'number', ...meta });
}

/** Like `numeric`, but may be left empty, which is null: exports write an empty text for a number that is not set. */
export function optionalNumeric(title: string, options: NumericOptions) {
  const { min, max, integer, ...meta } = options;
  const blank = z
    .string()
    .regex(/^\s*$/)
    .transform(() => null);
  // Null and not undefined, for which a default would be set.
  const schema = z.union([blank, numeric(title, { min, max, ...(integer ? { integer } : {}) })], {
    error: `must be ${integer ? 'a whole number' : 'a number'} from ${min} to ${max}, or empty`,
  });
  return field.custom(schema, title, { kind: 'number', ...meta }).optional();
}
