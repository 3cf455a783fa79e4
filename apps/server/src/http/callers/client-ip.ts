import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { ProxyTrust } from '../../config.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Text by which limits and bans count a client. */
export type ClientAddress = (headers: IncomingHttpHeaders, peer: string | undefined) => string;

const UNKNOWN = '0.0.0.0';

/** Strips what proxies write beside an address: `1.2.3.4:80`, `[::1]:80`, a zone. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  const address = bracketed?.[1] ?? /^([^:]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  return address.replace(/%.*$/, '');
}

/** Undefined for anything that is no address, also for the short forms such as `127.1` that some parsers take. */
function parseAddress(text: string): Address | undefined {
  const bare = withoutPort(text.trim().replace(/^"(.*)"$/, '$1'));
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  return ipaddr.IPv6.isValid(bare) ? ipaddr.process(bare) : undefined;
}

/** IPv6 counts by /64, for one subscriber owns at least that much. */
function toBucket(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}

function isProxy(address: Address, at: number, trust: ProxyTrust): boolean {
  switch (trust.kind) {
    case 'none':
      return false;
    case 'hops':
      return at < trust.count;
    case 'networks':
      return trust.networks.some(
        ([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix),
      );
    default:
      return trust satisfies never;
  }
}

/**
 * The rightmost hop that is no proxy of the operator. Each proxy appends the address that it saw, so what is left of
 * that hop is the client's own word. A hop that cannot be read ends the search at the proxy that reported it.
 */
function findClient(peer: Address, forwarded: string, trust: ProxyTrust): Address {
  const hops = forwarded === '' ? [] : forwarded.split(',');
  let client = peer;
  for (let at = 0; at < hops.length && isProxy(client, at, trust); at++) {
    const next = parseAddress(hops[hops.length - 1 - at] ?? '');
    if (!next) break;
    client = next;
  }
  return client;
}

const MAX_KNOWN = 10_000;
const LONGEST_KNOWN = 200;

/**
 * Finds the address of a client (`TRUST_PROXY_HEADERS`). Only `X-Forwarded-For` is read: other headers pass proxies as the
 * client wrote them.
 */
export function createClientAddress(trust: ProxyTrust): ClientAddress {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });

  function find(peer: string, forwarded: string): string {
    const address = parseAddress(peer);
    return address ? toBucket(findClient(address, forwarded, trust)) : UNKNOWN;
  }

  return (headers, peer) => {
    if (peer === undefined) return UNKNOWN;
    const header = trust.kind === 'none' ? '' : (headers['x-forwarded-for'] ?? '');
    const forwarded = Array.isArray(header) ? header.join(',') : header;
    const key = forwarded === '' ? peer : `${peer} ${forwarded}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = find(peer, forwarded);
    if (key.length <= LONGEST_KNOWN) known.set(key, found);
    return found;
  };
}
