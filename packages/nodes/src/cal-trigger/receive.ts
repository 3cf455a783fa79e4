import { createHash, createHmac } from 'node:crypto';
import { readText } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { DAY_MS } from '@millrace/engine/units';
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
const identifyEvent = (request: WebhookRequest, created_ms: number): string | undefined =>
  Number.isNaN(created_ms) ? undefined : createHash('sha256').update(request.body).digest('hex');

const KEPT_DAYS = 30;

/** §5.7, §6.2. */
export const receiveCal = receive(calTrigger, {
  kind: 'webhook',
  source: 'Cal.com',
  causes_kept_days: KEPT_DAYS,
  route: 'cal',
  async receive({ params, node_id, services }, request) {
    const secret = readConfigText((await services.credential(params.credentialId)).values, 'webhook_secret');
    if (secret === '' || !isSigned(request, secret)) return refuse(403, 'The signature is missing or wrong');
    const event = jsonBody(request);
    if (!event) return refuse(400, 'Send the event as a JSON object');
    const created_ms = Date.parse(readText(event['createdAt']));
    // Its first delivery may have been forgotten.
    if (services.now() - created_ms > KEPT_DAYS * DAY_MS) return refuse(403, 'The event is too old');
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
      event: { cause: toCause(identifyEvent(request, created_ms)), input },
    };
  },
});
