import { randomFillSync, randomUUID } from 'node:crypto';

export const newId = (): string => randomUUID();

const POOL_SIZE = 10 * 512;
const pool = Buffer.allocUnsafe(POOL_SIZE);
let offset = POOL_SIZE;
let lastMs = 0;
let sequence = 0;

function randomSlice(): number {
  if (offset + 8 > POOL_SIZE) {
    randomFillSync(pool);
    offset = 0;
  }
  const start = offset;
  offset += 8;
  return start;
}

/**
 * UUID version 7 (RFC 9562): sorts by creation time, also within one millisecond of one process. For rows that are
 * listed and paged by their age, such as runs, events and traces.
 *
 * @param nowMs epoch milliseconds
 */
export function newOrderedId(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const start = randomSlice();
  const low = pool.toString('hex', start, start + 8);
  const variant = ((pool[start] ?? 0) & 0x3f) | 0x80;
  const middle = (0x7000 | sequence).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${variant.toString(16)}${low.slice(2, 4)}-${low.slice(4)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);
