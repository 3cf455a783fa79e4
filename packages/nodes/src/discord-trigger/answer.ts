import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { Deferred, LaterAnswer } from '../receive.ts';

const API = 'https://discord.com/api/v10';
/** https://docs.discord.com/developers/interactions/receiving-and-responding: tokens are valid for 15 minutes. */
const TOKEN_MS = 15 * 60_000;
/** Longest message. */
const MOST_CHARACTERS = 2000;
const CUT = '…';
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1_000_000;

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/** The address for editing the response of an interaction; absent when the platform did not send it. */
export function readDeferred(interaction: JsonObject, now_ms: number): { deferred?: Deferred } {
  const { application_id, token } = interaction;
  if (!isText(application_id) || !isText(token)) return {};
  return { deferred: { address: { application_id, token }, expires_at_ms: now_ms + TOKEN_MS } };
}

/** Whole characters only. */
function shortened(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const cut = text.slice(0, MOST_CHARACTERS - CUT.length);
  return `${cut.replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
}

async function readBytes(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}

/** Replaces the deferred response ("thinking ...") of an interaction. */
export async function editAnswer({ http, signal, address, text }: LaterAnswer): Promise<'sent' | 'gone'> {
  if (!isJsonObject(address) || !isText(address['application_id']) || !isText(address['token']))
    return 'gone';
  const [application, token] = [address['application_id'], address['token']].map(encodeURIComponent);
  const { status, body } = await http.request({
    method: 'PATCH',
    url: `${API}/webhooks/${application}/${token}/messages/@original`,
    headers: [['content-type', 'application/json']],
    // A result may quote users and must not mention everyone.
    body: JSON.stringify({ content: shortened(text), allowed_mentions: { parse: [] } }),
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MOST_BYTES,
    follow_redirects: false,
    signal,
  });
  await readBytes(body);
  if (status >= 200 && status <= 299) return 'sent';
  if (status === 429 || status >= 500)
    throw new NodeFailure({ kind: 'upstream', message: `discord.com answered with status ${status}` });
  return 'gone';
}
