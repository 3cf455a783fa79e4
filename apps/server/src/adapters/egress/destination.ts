import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { RefusedCall } from '@millrace/engine';
import { isPublicAddress } from './addresses.ts';
import { refused } from './failures.ts';

/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface DestinationRules {
  allow_private: boolean;
  /** Lower-case host names and addresses that may be called although they are private. */
  allow_hosts: ReadonlySet<string>;
}

const HOW_TO_ALLOW = 'set HTTP_ALLOW_PRIVATE_URLS=true to allow private addresses';
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * The parts of an address that decide where a request goes. Refuses what is not `http:` or `https:`, addresses with
 * a user part, and hosts that are private by their very text: name look-up never sees a literal address.
 */
export function requireDestination(text: string, rules: DestinationRules, base?: string): URL {
  if (!URL.canParse(text, base)) throw refused('The address is not valid');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`Only http and https addresses can be called, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The address must not contain a user name; send an Authorization header instead');
  }
  requirePublic(normalizeHost(url), rules);
  return url;
}

/** No part of an address beside the host, so that the host that is checked is the one that is meant. */
const HOST_ONLY = /^[^\s/?#@\\:%[\]]+$/;

/**
 * The host of a connection in its one spelling: `127.1` and `2130706433` are the address that they stand for. Refuses
 * hosts that are private by their very text.
 */
export function requireHost(text: string, rules: DestinationRules): string {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1');
  const isV6 = isIP(bare) === 6;
  const address = `http://${isV6 ? `[${bare}]` : bare}/`;
  if (!(isV6 || HOST_ONLY.test(bare)) || !URL.canParse(address)) {
    throw refused(`"${text.slice(0, 100)}" is not a host name; enter it without a port`);
  }
  const host = normalizeHost(new URL(address));
  requirePublic(host, rules);
  return host;
}

function requirePublic(host: string, rules: DestinationRules): void {
  if (mayBePrivate(host, rules)) return;
  const isPrivate = isIP(host) === 0 ? LOCAL_NAME.test(host) : !isPublicAddress(host);
  if (isPrivate) throw privateHost(host);
}

/** Look-up for the connector: every address of the name must be public at the moment of connecting. */
export function guardedLookup(resolve: Resolve, rules: DestinationRules): LookupFunction {
  const lookup = callbackify((hostname: string) => resolveGuarded(hostname, resolve, rules));
  return (hostname, options, callback) => {
    lookup(hostname, (error, found) => {
      if (error) callback(error, []);
      else if (options.all) callback(null, found.all);
      else callback(null, found.first.address, found.first.family);
    });
  };
}

/** Every address of the name, all of which must be public. */
export async function resolveGuarded(hostname: string, resolve: Resolve, rules: DestinationRules) {
  const all = await resolve(hostname);
  const [first] = all;
  if (!first) throw Object.assign(new Error('no address'), { code: 'ENODATA' });
  const isAllowed = mayBePrivate(canonical(hostname), rules);
  if (!isAllowed && !all.every(({ address }) => isPublicAddress(address))) throw privateHost(hostname);
  return { all, first };
}

function mayBePrivate(host: string, rules: DestinationRules): boolean {
  return rules.allow_private || rules.allow_hosts.has(host);
}

/** Host without brackets and without the dot that ends a fully qualified name. */
function normalizeHost(url: URL): string {
  return canonical(url.hostname.replace(/^\[|\]$/g, ''));
}

function canonical(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function privateHost(host: string) {
  const message = `Calls to "${host}" are refused: its address is not public; ${HOW_TO_ALLOW}`;
  // Where a name leads and what the operator allows may change between two attempts.
  return new RefusedCall({ kind: 'upstream', message });
}
