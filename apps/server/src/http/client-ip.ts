import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

const first = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();

/**
 * Address that limits and bans count by. IPv6 counts by /64, for one subscriber owns at least that much. Proxy headers
 * are believed only where the operator says that a proxy of theirs writes them.
 */
export function clientIp(
  headers: IncomingHttpHeaders,
  peer: string | undefined,
  trustProxy: boolean,
): string {
  const claimed = trustProxy
    ? (first(headers['cf-connecting-ip']) ?? first(headers['x-forwarded-for']) ?? first(headers['x-real-ip']))
    : undefined;
  const text = claimed && ipaddr.isValid(claimed) ? claimed : (peer ?? '0.0.0.0');
  if (!ipaddr.isValid(text)) return '0.0.0.0';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
