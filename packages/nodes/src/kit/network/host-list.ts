import { refusedParam } from '../refused-param.ts';

/** As addresses have it, without brackets and the dot of the root; undefined for what is no host. */
function canonical(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '');
  const address = `https://${bare.includes(':') ? `[${bare}]` : bare}/`;
  if (/[/\\?#@%\s]/.test(bare) || !URL.canParse(address)) return undefined;
  return new URL(address).hostname.replace(/^\[|\]$|\.$/g, '') || undefined;
}

/**
 * Hosts of a field, separated by commas or spaces; each stands for its subdomains, too, with or without `*.` before it.
 *
 * @throws NodeFailure that names the field
 */
export function hostsIn(text: string, field: string): string[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0 && text.trim() !== '') throw refusedParam(field, 'names no host');
  return names.map((name) => {
    const host = canonical(name.replace(/^\*\./, ''));
    if (host !== undefined && /^[\w.:-]+$/.test(host)) return host;
    throw refusedParam(field, `"${name}" is not the name of a host, such as docs.example.com`);
  });
}

/** Whether the host, maybe that of an address, is one of the hosts or below one; an empty list names all. */
export function isAmong(host: string, hosts: readonly string[]): boolean {
  const name = canonical(host);
  return hosts.length === 0 || hosts.some((one) => name === one || name?.endsWith(`.${one}`) === true);
}
