import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../config.ts';
import { AppError } from '../../core/app-error.ts';

/** The host of an origin or an address, in lower case; undefined when it is none. */
export function parseHost(origin: string): string | undefined {
  try {
    return new URL(origin).host.toLowerCase();
  } catch {
    return undefined;
  }
}

/**
 * Whether a page of another site made a browser send the request. Browsers say so (Fetch Metadata Request Headers, W3C):
 * `none` is a person who entered the address or opened a bookmark. Older ones, and pages without TLS, send `Origin` alone.
 */
export function isFromOtherSite(headers: IncomingHttpHeaders, config: Pick<Config, 'PUBLIC_URL'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (headers.origin === undefined) return false;
  const host = parseHost(headers.origin);
  const own = [
    headers.host?.toLowerCase(),
    config.PUBLIC_URL === undefined ? undefined : parseHost(config.PUBLIC_URL),
  ];
  return host === undefined || !own.includes(host);
}

/** A browser sends a cookie along with what any page asks for; a header only a page of our own can set. */
export const isKnownByCookie = ({ authorization }: IncomingHttpHeaders): boolean =>
  authorization === undefined;

/** A request that a browser may have made because a person followed a link. Programs send neither header, or a token. */
export const mayBeLink = ({ authorization, cookie, ...headers }: IncomingHttpHeaders): boolean =>
  authorization === undefined && (cookie !== undefined || headers['sec-fetch-site'] !== undefined);

export const refuseOtherSite = (): AppError =>
  new AppError(
    'forbidden',
    'A page of another site may not do this with your session; open Millrace itself, or send a token as Authorization: Bearer',
  );
