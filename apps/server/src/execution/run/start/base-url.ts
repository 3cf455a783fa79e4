import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { Config } from '../../../config.ts';
import type { RunBegin } from '../../model/run.ts';

/** The address of the service as far as it is known without a request. */
export interface PublicAddress {
  /** As configured, without a slash at the end. */
  readonly public_url: string | undefined;
  /** Whether headers of a proxy in front are believed. */
  readonly behind_proxy: boolean;
}

export const readPublicAddress = ({
  PUBLIC_URL,
  TRUST_PROXY_HEADERS,
}: Pick<Config, 'PUBLIC_URL' | 'TRUST_PROXY_HEADERS'>): PublicAddress => ({
  public_url: PUBLIC_URL?.replace(/\/+$/, ''),
  behind_proxy: TRUST_PROXY_HEADERS.kind !== 'none',
});

/** A name or an address, with a port: a `Host` header is what the caller wrote, and ends up in links. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Where people reach the service, without a slash at the end: the configured address, else the one that the request was
 * sent to, which runs below it get as an option. Triggers without a request have none.
 */
export function resolveBaseUrl(
  { public_url, behind_proxy }: PublicAddress,
  { options, input }: Pick<RunBegin, 'options' | 'input'>,
): string | undefined {
  if (public_url !== undefined) return public_url;
  const passed = options['base_url'];
  if (typeof passed === 'string') return passed;
  const headers = isJsonObject(input) ? input['headers'] : undefined;
  if (!isJsonObject(headers)) return undefined;
  const forwarded = behind_proxy ? headers['x-forwarded-proto'] : undefined;
  const host = headers['host'];
  if (typeof host !== 'string' || !HOST.test(host)) return undefined;
  return `${forwarded === 'https' ? 'https' : 'http'}://${host}`;
}

/** The option under which a run finds the address again that the run above it was reached at. */
export function passedBaseUrl(
  address: PublicAddress,
  above: Pick<RunBegin, 'options' | 'input'>,
): JsonObject {
  const base_url = address.public_url === undefined ? resolveBaseUrl(address, above) : undefined;
  return base_url === undefined ? {} : { base_url };
}
