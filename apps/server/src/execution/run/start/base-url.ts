import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { RunBegin } from '../../model/run.ts';
import type { RunEnvironment } from '../environment.ts';

type Proxied = Pick<RunEnvironment, 'public_url' | 'behind_proxy'>;

/** A name or an address, with a port: a `Host` header is what the caller wrote, and ends up in links. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Where people reach the service, without a slash at the end: the configured address, else the one that the request was
 * sent to, which runs below it get as an option. Triggers without a request have none.
 */
export function resolveBaseUrl(
  { public_url, behind_proxy }: Proxied,
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
export function passedBaseUrl(environment: Proxied, above: Pick<RunBegin, 'options' | 'input'>): JsonObject {
  const base_url = environment.public_url === undefined ? resolveBaseUrl(environment, above) : undefined;
  return base_url === undefined ? {} : { base_url };
}
