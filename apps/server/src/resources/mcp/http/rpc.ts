import type { PageRange } from '../page.ts';

/** Codes of JSON-RPC 2.0, as the clients of this interface know them. */
export const RPC = {
  parse_error: -32700,
  invalid_request: -32600,
  not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
} as const;

const PAGE = 100;

/** The page of a list that a cursor names; the first one without it. */
export function parseRange(params: { readonly cursor?: string | undefined } | undefined): PageRange {
  const cursor = params?.cursor;
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  return { after, limit: PAGE };
}

export const nextCursor = (next: string | undefined): { nextCursor?: string } =>
  next === undefined ? {} : { nextCursor: Buffer.from(next).toString('base64url') };
