import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { z } from 'zod';
import {
  buildConnection,
  type Caller,
  type Connection,
  callJson,
  type JsonAnswer,
  type JsonRequest,
  path,
} from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import { parsedJson } from '../../kit/text/parsed-json.ts';
import { namesIn as splitNames } from '../../kit/values/list/items.ts';
import { jiraCredential } from '../credential.ts';
import type { jira } from '../definition.ts';

export type Params = z.output<typeof jira.params>;
export type Operation = Params['jiraOperation'];

export const TITLE = 'Jira';
export const READ = { effect: 'read' } as const;

/** A site and how it is asked. */
export interface Site {
  /** False for a server of one's own, which has older ways to search, page and name users. */
  readonly isCloud: boolean;
  /** Version 3 of the API takes texts as documents. */
  readonly hasDocuments: boolean;
  readonly connection: Connection;
  call(request: JsonRequest): Promise<JsonAnswer>;
  /** The content of a file of the site, in base64. */
  download(request: JsonRequest, connection?: Connection): Promise<Json>;
}

/** The context that one operation works with. */
export interface Jira extends Site {
  readonly params: Params;
}

export type Act = (jira: Jira) => Promise<JsonObject>;

export function resolveSite(caller: Caller, config: CredentialConfig): Site {
  const connection = buildConnection(TITLE, jiraCredential, config);
  const isCloud = config['deployment'] !== 'server';
  return {
    isCloud,
    hasDocuments: isCloud && (readConfigText(config, 'api_version') || '3') === '3',
    connection,
    call: (request) => callJson(caller, connection, request),
    download: async (request, from = connection) =>
      (await callJson(caller, from, { ...request, as: 'base64' })).body,
  };
}

export const buildIssuePath = (params: Params): string =>
  path`/issue/${requiredText(params, 'jiraIssueKey')}`;

/** The object that an answer is. */
export function objectIn({ body }: JsonAnswer): JsonObject {
  if (isJsonObject(body)) return body;
  throw new NodeFailure({ kind: 'upstream', message: `${TITLE} answered without an object` });
}

/** Deletes; false when there is nothing of that address, or nothing that the person may see. */
export async function isDeleted({ call }: Site, address: string, query?: JsonRequest['query']) {
  const { status } = await call({
    method: 'DELETE',
    path: address,
    ...(query ? { query } : {}),
    effect: 'idempotent',
    accepts: [404],
  });
  return status !== 404;
}

/** Names out of a list, its JSON, or a text with commas between them. */
export function namesIn(params: Params, name: keyof Params): string[] {
  const value = params[name];
  const text = typeof value === 'string' ? value.trim() : '';
  const found = text.startsWith('[') ? parsedJson(text) : (value ?? '');
  if (Array.isArray(found)) return found.map(String);
  if (typeof found !== 'string' || text.startsWith('[')) {
    throw refusedParam(name, 'must be a list such as ["one", "two"], or names separated by commas');
  }
  return splitNames(text);
}

/** The written text, undefined when the field is empty, null when it says so. */
export function clearable(text: string): string | null | undefined {
  const written = text.trim();
  if (written === '') return undefined;
  return written === 'null' ? null : text;
}
