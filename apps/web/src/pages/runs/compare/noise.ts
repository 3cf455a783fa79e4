import type { JsonChange } from '../../../lib/json/json-diff.ts';

/** Headers that differ between any two calls, even identical ones. */
const NAMES: ReadonlySet<string> = new Set([
  'age',
  'baggage',
  'cf-ray',
  'date',
  'expires',
  'idempotency-key',
  'server-timing',
  'traceparent',
  'tracestate',
  'x-amz-cf-id',
  'x-amzn-trace-id',
  'x-cache-hits',
  'x-response-time',
  'x-runtime',
  'x-timer',
]);
/** Names of requests and of traces: `x-request-id`, `request_id`, `x-amzn-requestid`, `x-b3-traceid`. */
const ID = /(request|correlation|trace|span|transaction|invocation)[-_]?id$/;
const RATE_LIMIT = /^(x-)?ratelimit-/;

/** Whether what differs is a header that says nothing about what was sent or answered. */
export function isNoise({ path }: Pick<JsonChange, 'path'>): boolean {
  const [parent, name] = path.slice(-2).map((step) => String(step).toLowerCase());
  if (parent !== 'headers' || name === undefined) return false;
  return NAMES.has(name) || ID.test(name) || RATE_LIMIT.test(name);
}

export interface Differences {
  readonly changes: JsonChange[];
  /** How many were left out. */
  readonly noise: number;
}

export function withoutNoise(all: readonly JsonChange[]): Differences {
  const changes = all.filter((change) => !isNoise(change));
  return { changes, noise: all.length - changes.length };
}
