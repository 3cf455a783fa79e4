import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, parseExactJson } from '@millrace/engine';
import type { WebhookHead, WebhookReception, WebhookRequest } from '../../receive.ts';

/** Clock skew that signed deliveries may have. */
const TOLERANCE_S = 300;

/** Takes the same time regardless of what differs, also for texts of different lengths. */
export function isSame(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Whether a header has a value: its bytes are Latin-1 to Node, and UTF-8 to many who write more than ASCII into one. */
export function isSameHeader(given: string, expected: string): boolean {
  const isAsUtf8 = isSame(Buffer.from(given, 'latin1'), expected);
  return isSame(given, expected) || isAsUtf8;
}

/** @param timestamp seconds since the epoch, as text */
export function isFresh(timestamp: string, now_ms: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now_ms / 1000 - Number(timestamp)) <= TOLERANCE_S;
}

/** The first of the headers that is there; empty text otherwise. */
export function readHeader({ headers }: WebhookHead, ...names: readonly string[]): string {
  for (const name of names) if (Object.hasOwn(headers, name)) return headers[name] ?? '';
  return '';
}

export const refuse = (status: number, detail: string): WebhookReception => ({
  answer: { status, body: { detail } },
});

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const BLOCKED = /"(__proto__|constructor|prototype)"\s*:/;

/** The body as a JSON object; undefined when it is none, is no UTF-8, or names a key that objects must not have. */
export function jsonBody({ body }: WebhookRequest): JsonObject | undefined {
  try {
    const text = UTF8.decode(body);
    if (BLOCKED.test(text)) return undefined;
    const value = parseExactJson(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The name that a source gave an event; one of its own where it gave none, for then no repetition can be recognised. */
export function toCause(id: Json | undefined): string {
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : randomUUID();
}

/** The output of a trigger node: the fields of its run input, without those that name the trigger itself. */
export function triggerOutput(run_input: Json, fields: readonly string[]): JsonObject {
  const output: JsonObject = {};
  if (!isJsonObject(run_input)) return output;
  for (const field of fields) {
    const value = Object.hasOwn(run_input, field) ? run_input[field] : undefined;
    if (value !== undefined) output[field] = value;
  }
  return output;
}
