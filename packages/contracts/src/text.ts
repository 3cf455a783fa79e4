import { isBlockedKey } from '@millrace/engine/json';
import { z } from 'zod';

/** Half a character: no UTF-8 holds it, so a database would store something else than was answered. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\uFFFD');

/** Text that a database column can hold: PostgreSQL has no NUL character. */
export const storedText = (max: number) =>
  z
    .string()
    .max(max)
    .overwrite(wellFormed)
    .refine((text) => !text.includes('\0'), 'must not contain NUL characters');

/** Text of one line that must say something. */
export const storedName = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max)
    .overwrite(wellFormed)
    .refine((text) => !text.includes('\0'), 'must not contain NUL characters');

/** A name that becomes a key, as that of a credential in `$credentials`. */
export const keyName = (max: number) =>
  storedName(max).refine((name) => !isBlockedKey(name), 'is a reserved word; choose another name');
