import { isJsonObject, type Json, NodeFailure } from '@millrace/engine';
import type { JsonAnswer } from './call-json.ts';

/** One page of a list; `next` is what finds the following page, undefined behind the last one. */
export interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | undefined;
}

const MAX_PAGES = 1_000;

/** Items of a paged list up to a number. A service that answers with the same cursor for ever ends with a failure. */
export async function collect<Item, Cursor>(
  load: (cursor: Cursor | undefined) => Promise<Page<Item, Cursor>>,
  most: number,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: Cursor | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await load(cursor);
    items.push(...found.items.slice(0, most - items.length));
    if (found.next === undefined || items.length >= most) return items;
    if (found.next === cursor) throw endless();
    cursor = found.next;
  }
  throw endless();
}

function endless(): NodeFailure {
  return new NodeFailure({
    kind: 'upstream',
    message: 'The list of the service does not end; request fewer items',
  });
}

/** The address of the next page as a `Link` header writes it (RFC 8288). */
export function nextAddress({ headers }: Pick<JsonAnswer, 'headers'>): string | undefined {
  for (const part of (headers['link'] ?? '').split(/,\s*(?=<)/)) {
    const [, address, attributes = ''] = /^<([^>]*)>(.*)$/s.exec(part.trim()) ?? [];
    const [, quoted, bare = ''] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(attributes) ?? [];
    const relations = (quoted ?? bare).toLowerCase().split(/\s+/);
    if (address === undefined || !relations.includes('next')) continue;
    return /;\s*results="false"/i.test(attributes) ? undefined : address;
  }
  return undefined;
}

/**
 * Path and query of the next page that a `Link` header names, relative to the base address. A link to
 * another place is not followed, for the credential would go there.
 */
export function nextLink(answer: Pick<JsonAnswer, 'headers'>, base_url: string): string | undefined {
  const address = nextAddress(answer);
  return address?.startsWith(`${base_url}/`) ? address.slice(base_url.length) : undefined;
}

/** The list under a key of an answer; a service that answers something else is distinguished from an empty list. */
export function listIn(title: string, body: Json, key?: string): Json[] {
  const value = key === undefined ? body : isJsonObject(body) ? body[key] : undefined;
  if (Array.isArray(value)) return value;
  throw new NodeFailure({
    kind: 'upstream',
    message: `${title} answered without a list${key === undefined ? '' : ` of ${key}`}`,
  });
}
