import { createHmac } from 'node:crypto';
import { readConfigText } from '@millrace/engine/credential';
import { isFresh, isSame, jsonBody, readHeader, refuse, toCause } from '../kit/triggers/webhook-trigger.ts';
import { receive, type WebhookRequest } from '../receive.ts';
import { slackTrigger } from './definition.ts';

/** `v0=` and the HMAC-SHA256 of `v0:<timestamp>:<raw body>`, as the platform documents it. */
function isSigned(request: WebhookRequest, secret: string, now_ms: number): boolean {
  const timestamp = readHeader(request, 'x-workspacechat-request-timestamp', 'x-slack-request-timestamp');
  const given = readHeader(request, 'x-workspacechat-signature', 'x-slack-signature');
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(request.body).digest('hex');
  return isSame(`v0=${digest}`, given) && isFresh(timestamp, now_ms);
}

/** §5.7, §6.2. The platform repeats an event three times within an hour, under the same `event_id`. */
export const receiveSlack = receive(slackTrigger, {
  kind: 'webhook',
  source: 'Slack',
  causes_kept_days: 30,
  route: 'workspacechat',
  async receive({ params, node_id, services }, request) {
    const secret = readConfigText((await services.credential(params.credentialId)).values, 'signing_secret');
    if (secret === '' || !isSigned(request, secret, services.now()))
      return refuse(403, 'The signature is missing, wrong or too old');
    const event = jsonBody(request);
    if (!event) return refuse(400, 'Send the event as a JSON object');
    if (event['type'] === 'url_verification')
      return { answer: { status: 200, body: { challenge: event['challenge'] ?? '' } } };
    const input = { event, headers: request.safe_headers, triggered_by: 'Slack', trigger_node_id: node_id };
    return {
      answer: { status: 200, body: { ok: true } },
      event: { cause: toCause(event['event_id']), input },
    };
  },
});
