import { randomUUID } from 'node:crypto';
import type { Ambient } from '@millrace/engine';

export function createAmbient(now: () => number, timezone: string): Ambient {
  return { now, timezone, uuid: () => randomUUID().replaceAll('-', ''), random: Math.random };
}
