import { createHmac } from 'node:crypto';
import type { JsonObject, WaitDoor } from '@millrace/engine';
import type { WaitPlace } from '../../model/wait.ts';

/** Replaces the token in stored payloads: the database alone is not enough to decide a wait. */
const HIDDEN = '{one-time token}';
/** A path of one of these and a token opens a wait to everyone who has it. */
export const WAIT_PATHS: Readonly<Record<WaitDoor, string>> = {
  callback: '/api/callbacks/',
  review: '/review/',
  upload: '/api/file-intake/u/',
};

/** One-time addresses of waits. The token follows from the place of the wait and the server's key, so it is nowhere stored. */
export interface WaitAddresses {
  deriveToken(run_id: string, place: WaitPlace): string;
  buildUrl(token: string, door: WaitDoor): string;
  /** The stored form of a payload that may hold the token. */
  hide(payload: JsonObject, token: string): JsonObject;
  show(payload: JsonObject, token: string): JsonObject;
}

function replaced(payload: JsonObject, from: string, to: string): JsonObject {
  const text = JSON.stringify(payload);
  // Neither of the two texts has a character that JSON escapes.
  return text.includes(from) ? (JSON.parse(text.replaceAll(from, to)) as JsonObject) : payload;
}

export function createWaitAddresses(secret: string, base_url: string): WaitAddresses {
  return {
    deriveToken(run_id, { node_id, iteration, key }) {
      const place = JSON.stringify(['wait', run_id, node_id, iteration, key]);
      return createHmac('sha256', secret).update(place).digest('base64url');
    },
    buildUrl: (token, door) => `${base_url}${WAIT_PATHS[door]}${token}`,
    hide: (payload, token) => replaced(payload, token, HIDDEN),
    show: (payload, token) => replaced(payload, HIDDEN, token),
  };
}
