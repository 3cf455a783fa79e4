import { isJsonObject, type Json, printValue } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import type { Credential } from '../../../services.ts';
import { basic } from '../../integration/basic-auth.ts';
import { refusedParam } from '../../refused-param.ts';
import { parsedJson } from '../../text/parsed-json.ts';

/** A token of RFC 9110 section 5.6.2: names of headers and of subprotocols (RFC 6455 section 4.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The handshake sets these itself (RFC 6455 section 4.1). */
const OWN_HEADERS = /^(host|connection|upgrade|content-length|transfer-encoding|sec-websocket-.*)$/i;

export interface Target {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly subprotocols: readonly string[];
}

interface Params {
  readonly websocketUrl: string;
  readonly websocketHeaders?: unknown;
  readonly websocketSubprotocols: string;
}

function parseUrl({ websocketUrl }: Params): URL {
  const text = websocketUrl.trim();
  if (text === '')
    throw refusedParam('websocketUrl', 'is empty; enter an address such as wss://example.com/events');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:')
    throw refusedParam('websocketUrl', 'must begin with ws:// or wss://');
  if (url.username !== '' || url.password !== '')
    throw refusedParam('websocketUrl', 'must not contain a user name; choose a credential instead');
  // RFC 6455 section 3: an address of a WebSocket has no fragment.
  url.hash = '';
  return url;
}

function readHeaders({ websocketHeaders: given }: Params): Record<string, string> {
  const value = typeof given === 'string' && given.trim() !== '' ? parsedJson(given) : (given as Json);
  if (value === null || value === '' || given === undefined || given === '') return {};
  if (!isJsonObject(value))
    throw refusedParam('websocketHeaders', 'must be a JSON object such as {"X-Client": "orders"}');
  const headers: Record<string, string> = {};
  for (const [name, content] of Object.entries(value)) {
    if (!TOKEN.test(name))
      throw refusedParam('websocketHeaders', `"${name.slice(0, 100)}" is not a valid header name`);
    if (OWN_HEADERS.test(name))
      throw refusedParam('websocketHeaders', `${name} is set by the handshake and cannot be changed`);
    const text = printValue(content);
    if (/[\r\n\0]/.test(text))
      throw refusedParam('websocketHeaders', `the value of ${name} has a line break`);
    headers[name] = text;
  }
  return headers;
}

function parseSubprotocols({ websocketSubprotocols }: Params): string[] {
  const names = websocketSubprotocols
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const wrong = names.find((name) => !TOKEN.test(name));
  if (wrong !== undefined)
    throw refusedParam('websocketSubprotocols', `"${wrong.slice(0, 100)}" is not a valid subprotocol name`);
  if (new Set(names).size < names.length)
    throw refusedParam('websocketSubprotocols', 'names a subprotocol twice');
  return names;
}

/** The header that proves who connects. */
export function handshakeHeaders({ type, values }: Credential): Readonly<Record<string, string>> {
  switch (type) {
    case 'bearer':
      return { Authorization: `Bearer ${readConfigText(values, 'bearer_token').replace(/^Bearer\s+/i, '')}` };
    case 'header':
      return {
        [readConfigText(values, 'header_key') || 'Authorization']: readConfigText(values, 'header_value'),
      };
    case 'basic_auth':
      return basic(readConfigText(values, 'username'), readConfigText(values, 'password'));
    default:
      throw refusedParam(
        'credentialId',
        `is of type ${type}; choose one of type bearer, header or basic_auth`,
      );
  }
}

/** Where a node connects to and with what. Fails with kind `params`. */
export const buildTarget = (params: Params, proof: Readonly<Record<string, string>> = {}): Target => ({
  url: parseUrl(params),
  headers: { ...readHeaders(params), ...proof },
  subprotocols: parseSubprotocols(params),
});
