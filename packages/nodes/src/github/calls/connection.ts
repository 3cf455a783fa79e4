import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { z } from 'zod';
import type { NodeCall } from '../../implement.ts';
import {
  buildConnection,
  type Connection,
  callJson,
  type JsonAnswer,
  type JsonRequest,
  path,
} from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { collect, listIn, nextLink } from '../../kit/integration/paging.ts';
import { createCaller, readCredential } from '../../kit/integration/run-caller.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import { githubCredential } from '../credential.ts';
import type { github } from '../definition.ts';

export type Params = z.output<typeof github.params>;
export type Operation = Params['githubOperation'];

export const TITLE = 'GitHub';
export const READ = { effect: 'read' } as const;
/** https://docs.github.com/en/rest/about-the-rest-api/api-versions */
const VERSION = { 'x-github-api-version': '2022-11-28' };
const LARGEST_PAGE = 100;
const MOST = 10_000;
const USUAL = 30;

export interface Listing {
  readonly query?: JsonRequest['query'];
  /** Key of the list in an answer that is no list itself. */
  readonly key?: string;
  readonly keeps?: (item: Json) => boolean;
}

/** The context that one operation works with. */
export interface GitHub {
  readonly params: Params;
  /** False for a server of one's own, which may be years older. */
  readonly isHosted: boolean;
  call(request: JsonRequest): Promise<JsonAnswer>;
  /** Entries of all pages, as many as `githubPerPage` allows. */
  list(address: string, listing?: Listing): Promise<Json[]>;
}

export type Act = (github: GitHub) => Promise<JsonObject>;

/** The connection of a run, or of one of its steps, which ends with the signal of that step. */
export async function connectGithub(
  call: NodeCall<Params>,
  signal: AbortSignal = call.signal,
): Promise<GitHub> {
  const connection = buildConnection(TITLE, githubCredential, await readCredential(call, githubCredential));
  const caller = createCaller(call, signal);
  const ask = (request: JsonRequest) => callJson(caller, connection, versioned(request));
  return {
    params: call.params,
    isHosted: connection.service.base_url === 'https://api.github.com',
    call: ask,
    list: (address, listing) =>
      fetchList({ connection, ask }, address, { ...listing, most: readLimit(call.params) }),
  };
}

export const versioned = (request: JsonRequest): JsonRequest => ({
  ...request,
  headers: { ...VERSION, ...request.headers },
});

interface Lists {
  readonly connection: Connection;
  ask(request: JsonRequest): Promise<JsonAnswer>;
}

/** https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api */
export function fetchList(
  { connection, ask }: Lists,
  address: string,
  { query = {}, key, keeps = () => true, most }: Listing & { readonly most: number },
): Promise<Json[]> {
  const first = { path: address, query: { ...query, per_page: Math.min(most, LARGEST_PAGE) } };
  return collect(async (next: string | undefined) => {
    const answer = await ask({ ...(next === undefined ? first : { path: next }), ...READ });
    return {
      items: listIn(TITLE, answer.body, key).filter(keeps),
      next: nextLink(answer, connection.service.base_url),
    };
  }, most);
}

const readLimit = ({ githubPerPage = USUAL }: Params): number =>
  githubPerPage === null ? USUAL : githubPerPage === 0 ? MOST : githubPerPage;

export const buildRepositoryPath = (params: Params): string =>
  path`/repos/${requiredText(params, 'githubOwner')}/${requiredText(params, 'githubRepo')}`;

/** A number such as that of an issue, as a text: ids may be too large to calculate with. `#12` is how people write one. */
export function numberIn(params: Params, name: keyof Params): string {
  const text = requiredText(params, name).replace(/^#/, '');
  if (/^\d+$/.test(text)) return text;
  throw refusedParam(name, `must be a number, not "${text.slice(0, 40)}"`);
}

/** A text that may be one of a few words, or empty. */
export function wordIn(params: Params, name: keyof Params, words: readonly string[]): string {
  const value = params[name];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '' || words.includes(text)) return text;
  throw refusedParam(name, `must be one of ${words.join(', ')}, not "${text.slice(0, 40)}"`);
}

/** The object that an answer is. */
export function objectIn({ body }: JsonAnswer): JsonObject {
  if (isJsonObject(body)) return body;
  throw new NodeFailure({ kind: 'upstream', message: `${TITLE} answered without an object` });
}

/** Fields that hold something. */
export const given = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== '',
    ),
  );

/** The values that an object that was read or written has under some names, null for what it lacks. */
export const pick = (object: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(names).map(([name, key]) => [name, object[key] ?? null]));

/** UTF-8 text of a base64 content; null when it is none, such as that of a picture. */
export function decodeContent({ encoding, content }: JsonObject): string | null {
  if (encoding !== 'base64' || typeof content !== 'string') return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return null;
  }
}

/** A 404 of something in a repository says that it is not there only when the repository itself can be seen. */
export async function requireRepository({ params, call }: GitHub): Promise<void> {
  await call({ path: buildRepositoryPath(params), ...READ });
}
