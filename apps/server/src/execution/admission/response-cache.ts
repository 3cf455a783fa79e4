import { createHash } from 'node:crypto';
import type { Outcome } from '@millrace/engine';
import { stringify } from 'safe-stable-stringify';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import type { HttpInput } from '../model/http-input.ts';

/** A stored success: what the caller got, masked. */
export interface CachedAnswer extends Readonly<Pick<Outcome, 'outputs' | 'shape'>> {
  /** Of the graph that computed it: after another graph is saved, calls must get its result. */
  readonly graph_hash: string;
}

/** §4.1 rule 7: SHA-256 over workflow id, body and query; the order of keys does not matter. */
export function cacheKey(workflow_id: string, { body, query }: Pick<HttpInput, 'body' | 'query'>): string {
  const text = stringify({ workflow_id, body, query }) ?? '';
  return `${cachePrefix(workflow_id)}${createHash('sha256').update(text).digest('hex')}`;
}

/** Every cached answer of a workflow has a key that starts so. */
export const cachePrefix = (workflow_id: string): string => `cache:${workflow_id}:`;

export async function readCached(
  store: SharedStore,
  { key, graph_hash }: { key: string; graph_hash: string },
): Promise<CachedAnswer | undefined> {
  const text = await store.get(key);
  if (text === undefined) return undefined;
  const answer = JSON.parse(text) as CachedAnswer;
  return answer.graph_hash === graph_hash ? answer : undefined;
}

export function writeCached(
  store: SharedStore,
  entry: { key: string; ttl_seconds: number; answer: CachedAnswer },
): Promise<void> {
  return store.set(entry.key, JSON.stringify(entry.answer), entry.ttl_seconds);
}
