const DASHED = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const PLAIN = /[0-9a-f]{32}/gi;

export type IdKind = 'page' | 'block' | 'database' | 'data_source';

/**
 * The id in what people copy from Notion: an id with or without dashes, or an address. The address of a page that is open
 * beside its database names the page as `p`, that of a block names it behind `#`; `v` is a view and never meant. Anything
 * else is returned as it is, for the service to refuse.
 */
export function notionId(text: string, kind: IdKind): string {
  const given = text.trim();
  const address =
    URL.canParse(given) && /^(https?|notion|collection):/i.test(given) ? new URL(given) : undefined;
  if (!address) return idIn(given) ?? given;
  const places = [
    ...(kind === 'block' ? [address.hash] : []),
    ...(kind === 'page' || kind === 'block' ? [address.searchParams.get('p') ?? ''] : []),
    ...(kind === 'data_source' ? [address.searchParams.get('ds') ?? ''] : []),
    address.pathname,
    address.host,
  ];
  return places.map(idIn).find((id) => id !== undefined) ?? given;
}

/** The last id of a text, with dashes: titles come before ids in addresses. */
function idIn(text: string): string | undefined {
  const found = text.match(DASHED)?.at(-1) ?? text.match(PLAIN)?.at(-1);
  if (found === undefined) return undefined;
  return found.toLowerCase().replace(/^(\w{8})-?(\w{4})-?(\w{4})-?(\w{4})-?(\w{12})$/, '$1-$2-$3-$4-$5');
}
