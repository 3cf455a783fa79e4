import { createHash, createHmac } from 'node:crypto';
import { readConfigText } from '@millrace/engine/credential';
import { isSame, jsonBody, readHeader, refuse, toCause } from '../kit/triggers/webhook-trigger.ts';
import { receive, type WebhookRequest } from '../receive.ts';
import { calTrigger } from './definition.ts';

/** HMAC-SHA256 of the raw body in hexadecimal (https://cal.com/docs/developing/guides/automation/webhooks). */
function isSigned(request: WebhookRequest, secret: string): boolean {
  const given = readHeader(request, 'x-cal-signature-256').trim().toLowerCase();
  const digest = createHmac('sha256', secret).update(request.body).digest('hex');
  return isSame(digest, given.replace(/^sha256=/, ''));
}

/**
 * Deliveries have no id. One with the time at which its event happened is told apart by its content, which a repetition
 * has in common; the content of others, which a template of the sender may shorten, can be that of two events.
 */
const identifyEvent = (request: WebhookRequest, created_at: unknown): string | undefined =>
  typeof created_at === 'string' && created_at !== ''
    ? createHash('sha256').update(request.body).digest('hex')
    : undefined;

/** §5.7, §6.2. */
export const receiveCal = receive(calTrigger, {
  kind: 'webhook',
  source: 'Cal.com',
  causes_kept_days: 30,
  route: 'cal',
  async receive({ params, node_id, services }, request) {
    const secret = readConfigText((await services.credential(params.credentialId)).values, 'webhook_secret');
    if (secret === '' || !isSigned(request, secret)) return refuse(403, 'The signature is missing or wrong');
    const event = jsonBody(request);
    if (!event) return refuse(400, 'Send the event as a JSON object');
    const input = {
      event,
      trigger_event: event['triggerEvent'] ?? null,
      payload: event['payload'] ?? {},
      headers: request.safe_headers,
      triggered_by: 'Cal.com',
      trigger_node_id: node_id,
      triggered_at: new Date(services.now()).toISOString(),
    };
    return {
      answer: { status: 200, body: { ok: true } },
      event: { cause: toCause(identifyEvent(request, event['createdAt'])), input },
    };
  },
});
