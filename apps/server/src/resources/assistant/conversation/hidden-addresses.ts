import type { Json } from '@millrace/engine';
import { WAIT_PATHS } from '../../../execution/store/waiting/wait-addresses.ts';
import { LINK_PATH } from '../../files/links.ts';

/** Replaces what the model must not see. */
export const HIDDEN = '[hidden]';

/** Paths that a token of 32 bytes follows, with the host in front where there is one. */
const ADDRESS = new RegExp(
  `(?:https?://[^\\s"'<>()]{0,300})?(?:${[...Object.values(WAIT_PATHS), LINK_PATH].join('|')})[\\w-]{43}`,
  'g',
);

/** A text without addresses that decide a review, continue a run or open a file: they are for people, not for the model. */
export const hideAddresses = (text: string): string => text.replace(ADDRESS, HIDDEN);

export function withoutAddresses(value: Json): Json {
  if (typeof value === 'string') return hideAddresses(value);
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, withoutAddresses(inside)]));
}
