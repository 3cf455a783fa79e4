import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { bearer, type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import { refusedParam } from '../refused-param.ts';
import { discoveredSignIn, signsIn } from './discovered.ts';
import { nameOfProgram, type ProgramServer, programOfConnection } from './program.ts';
import { objectIn } from './stored-json.ts';

/** Where an MCP server is and how it is spoken to. */
export type McpServer = RemoteServer | ProgramServer;

/** A server that answers at an address. */
export interface RemoteServer {
  readonly transport: 'streamable_http' | 'sse';
  /** Absolute `http:` or `https:` address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with another token, after the server has refused the one that it was asked with; for servers that people sign in to. */
  readonly renew?: () => Promise<Readonly<Record<string, string>>>;
}

/** Gets the credential with another access token than the refused one. */
export type RenewCredential = (refused: string) => Promise<CredentialConfig>;

/** @throws NodeFailure of the kind `credential` before the first sign-in to a server that people sign in to */
export function serverOfCredential(config: CredentialConfig, renew?: RenewCredential): RemoteServer {
  const refused = readConfigText(config, 'access_token');
  return {
    transport: readConfigText(config, 'mcp_transport') === 'sse' ? 'sse' : 'streamable_http',
    url: readConfigText(config, 'mcp_url'),
    headers: headersOfCredential(config),
    ...(renew && signsIn(config) ? { renew: async () => headersOfCredential(await renew(refused)) } : {}),
  };
}

function headersOfCredential(config: CredentialConfig): Readonly<Record<string, string>> {
  const token = requireToken(config);
  return { ...(token === '' ? {} : bearer(token)), ...extraHeaders(config) };
}

/** The header that some servers want beside a token. */
export function extraHeaders(config: CredentialConfig): Readonly<Record<string, string>> {
  const key = readConfigText(config, 'mcp_header_key');
  return key === '' ? {} : { [key.toLowerCase()]: readConfigText(config, 'mcp_header_value') };
}

function requireToken(config: CredentialConfig): string {
  if (!signsIn(config)) return readConfigText(config, 'mcp_token');
  const token = discoveredSignIn(config) ? readConfigText(config, 'access_token') : '';
  if (token !== '') return token;
  throw new NodeFailure({
    kind: 'credential',
    message: 'This credential is not signed in to its MCP server yet; connect it on the credentials page',
    field: 'credentialId',
    final: true,
  });
}

/** The name of a server in messages: host and port, or its program. @param field name of the parameter with the address */
export const describeServer = (server: McpServer, field: string): string =>
  server.transport === 'stdio' ? nameOfProgram(server) : describeHost(server, field);

/** Host and port of a server for messages. @param field name of the parameter, for what is wrong with the address */
export function describeHost({ url }: Pick<RemoteServer, 'url'>, field: string): string {
  if (!URL.canParse(url))
    throw refusedParam(field, 'is not a valid address; it begins with https:// or http://');
  const { host, username, password } = new URL(url);
  if (username === '' && password === '') return host;
  throw refusedParam(field, 'must not contain a user name; send an Authorization header instead');
}

/**
 * The server of a connection as nodes and exports store it: `{transport, url, headers}`, headers as object or JSON text, or
 * for the transport stdio what `programOfConnection` reads.
 *
 * @param field name of the parameter, for what is wrong with it
 */
export function serverOfConnection(connection: JsonObject, field: string): McpServer {
  const { transport = 'streamable_http', url, headers } = connection;
  if (transport === 'stdio') return programOfConnection(connection, field);
  if (transport !== 'streamable_http' && transport !== 'sse') {
    throw refusedParam(`${field}.transport`, 'must be streamable_http, sse or stdio');
  }
  const address = typeof url === 'string' ? url.trim() : '';
  if (address === '') throw refusedParam(`${field}.url`, 'is empty; choose a credential or enter the URL');
  return { transport, url: address, headers: readHeaders(headers, `${field}.headers`) };
}

function readHeaders(stored: Json | undefined, field: string): Record<string, string> {
  const value = objectIn(stored, field, '{"X-Api-Key": "..."}');
  const named = new Headers();
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw refusedParam(field, `"${name}" must be a text`);
    try {
      named.set(name, text);
    } catch {
      throw refusedParam(field, `"${name.slice(0, 100)}" cannot be sent as a header`);
    }
  }
  return Object.fromEntries(named);
}
