import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import { buildConnection, type Caller, callJson, type JsonAnswer } from '../kit/integration/call-json.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { linearCredential } from './credential.ts';
import { DOCUMENTS } from './documents.ts';

export const TITLE = 'Linear';

export interface Asked {
  readonly document: keyof typeof DOCUMENTS;
  readonly variables?: JsonObject;
  /** Only `unsafe` calls are never sent twice. */
  readonly effect: 'read' | 'idempotent' | 'unsafe';
}

export type Ask = (asked: Asked) => Promise<JsonObject>;

/**
 * One document of https://linear.app/developers/graphql, answered with its `data`. Calls beyond the limit get status 400
 * with the code RATELIMITED (https://linear.app/developers/rate-limiting).
 */
export function linearApi(caller: Caller, config: CredentialConfig): Ask {
  const connection = { ...buildConnection(TITLE, linearCredential, config), pause };
  return async ({ document, variables = {}, effect }) => {
    const body = { query: DOCUMENTS[document], variables };
    const answer = await callJson(caller, connection, { method: 'POST', path: '/graphql', body, effect });
    const data = isJsonObject(answer.body) ? answer.body['data'] : undefined;
    if (isJsonObject(data)) return data;
    throw new NodeFailure({ kind: 'upstream', message: `${TITLE} answered without data` });
  };
}

const USUAL_PAUSE_MS = 5_000;

function pause({ status, headers, body }: JsonAnswer, now_ms: number): number | undefined {
  if (status !== 400 || !isJsonObject(body) || !Array.isArray(body['errors'])) return undefined;
  const isLimit = body['errors'].some(
    (error) =>
      isJsonObject(error) &&
      isJsonObject(error['extensions']) &&
      error['extensions']['code'] === 'RATELIMITED',
  );
  if (!isLimit) return undefined;
  const resets = [
    'x-ratelimit-requests-reset',
    'x-ratelimit-endpoint-requests-reset',
    'x-ratelimit-complexity-reset',
  ]
    .filter((name) => headers[name.replace('-reset', '-remaining')] === '0')
    .map((name) => Number(headers[name]) - now_ms)
    .filter((wait_ms) => wait_ms > 0);
  return resets.length > 0 ? Math.max(...resets) : USUAL_PAUSE_MS;
}

interface Listed extends Omit<Asked, 'effect'> {
  /** Keys that lead from `data` to the connection. */
  readonly at: readonly string[];
  readonly most: number;
  /** Cursor behind which the list begins; empty for its begin. */
  readonly after: string;
}

const PAGE_SIZE = 100;

/** Entries of a paged list with where the last page ended. */
export async function listed(
  ask: Ask,
  { document, variables = {}, at, most, after }: Listed,
): Promise<{ nodes: Json[]; pageInfo: JsonObject }> {
  let pageInfo: JsonObject = { hasNextPage: false, endCursor: null };
  let left = most;
  const nodes = await collect(async (cursor: string | undefined) => {
    const first = Math.min(left, PAGE_SIZE);
    const start = cursor ?? after;
    const page = { first, ...(start === '' ? {} : { after: start }) };
    const data = await ask({ document, variables: { ...variables, ...page }, effect: 'read' });
    const list = at.reduce<Json>((value, key) => (isJsonObject(value) ? (value[key] ?? null) : null), data);
    const items = listIn(TITLE, list, 'nodes');
    left -= items.length;
    const info = isJsonObject(list) && isJsonObject(list['pageInfo']) ? list['pageInfo'] : {};
    const { hasNextPage = false, endCursor = null } = info;
    pageInfo = { hasNextPage, endCursor };
    return { items, next: hasNextPage === true && typeof endCursor === 'string' ? endCursor : undefined };
  }, most);
  return { nodes, pageInfo };
}
