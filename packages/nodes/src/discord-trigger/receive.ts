import { createPublicKey, verify } from 'node:crypto';
import { readConfigText } from '@millrace/engine/credential';
import { isFresh, jsonBody, readHeader, refuse, toCause } from '../kit/triggers/webhook-trigger.ts';
import { receive, type WebhookRequest } from '../receive.ts';
import { editAnswer, readDeferred } from './answer.ts';
import { discordTrigger } from './definition.ts';

const PING = 1;
/** "Answered later", the only answer that any interaction may get before its run has ended. */
const DEFERRED = 5;

/** RFC 8410: the 32 bytes of an Ed25519 key behind a fixed head. */
const KEY_HEAD = '302a300506032b6570032100';

/** Ed25519 over the timestamp and the raw body. */
function isSigned(request: WebhookRequest, public_key: string, now_ms: number): boolean {
  const timestamp = readHeader(request, 'x-signature-timestamp');
  const signature = readHeader(request, 'x-signature-ed25519');
  if (!/^[0-9a-f]{128}$/i.test(signature) || !isFresh(timestamp, now_ms)) return false;
  const key = createPublicKey({
    key: Buffer.from(`${KEY_HEAD}${public_key}`, 'hex'),
    format: 'der',
    type: 'spki',
  });
  const signed = Buffer.concat([Buffer.from(timestamp), request.body]);
  return verify(null, signed, key, Buffer.from(signature, 'hex'));
}

/** §5.7, §6.2. Every interaction has an `id` of its own. */
export const receiveDiscord = receive(discordTrigger, {
  kind: 'webhook',
  source: 'Discord',
  causes_kept_days: 30,
  route: 'interactions',
  async receive({ params, node_id, services }, request) {
    const key = readConfigText((await services.credential(params.credentialId)).values, 'public_key');
    if (!isSigned(request, key, services.now()))
      return refuse(401, 'The signature is missing, wrong or too old');
    const interaction = jsonBody(request);
    if (!interaction) return refuse(400, 'Send the interaction as a JSON object');
    if (interaction['type'] === PING) return { answer: { status: 200, body: { type: PING } } };
    // Who has the token may answer in the name of the application.
    const { token: _token, ...shown } = interaction;
    const input = {
      interaction: shown,
      type: interaction['type'] ?? null,
      data: interaction['data'] ?? {},
      headers: request.safe_headers,
      triggered_by: 'Discord',
      trigger_node_id: node_id,
      triggered_at: new Date(services.now()).toISOString(),
    };
    return {
      answer: { status: 200, body: { type: DEFERRED } },
      event: { cause: toCause(interaction['id']), input },
      ...readDeferred(interaction, services.now()),
    };
  },
  answerLater: editAnswer,
});
