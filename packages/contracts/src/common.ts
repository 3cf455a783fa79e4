import { readTruth } from '@millrace/engine/truth';
import { z } from 'zod';

/**
 * In lower case, however the caller writes it: the database takes both, but hints, caches and comparisons take the text
 * (RFC 9562 §4: lower case on output, either on input).
 */
export const uuid = z.uuid().toLowerCase();
/** An id or the all-zero one, which some fields give a meaning. */
export const uuidOrZero = z.guid().toLowerCase();
/** ISO 8601 instant with zone. */
export const timestamp = z.iso.datetime({ offset: true });

export const idParams = z.object({ id: uuid });

/** Paging by offset, as the listed endpoints of the field do; 50 rows by default. */
export const page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
});

/** Of entries that cost more to read. */
export const shortPage = page.extend({ limit: z.coerce.number().int().min(1).max(100).default(50) });

/** A page of a list, and how long the whole list is. */
export const definePage = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.int(), limit: z.int(), offset: z.int() });

/** A boolean as query text: 1, true, yes, on in any case. */
export const queryBoolean = z.string().transform((text) => readTruth(text) === true);

/** A display name: trimmed, not empty. */
export const displayName = (max: number) => z.string().trim().min(1, 'must not be empty').max(max);

export const emailInput = z.object({ email: z.email().max(255) });
