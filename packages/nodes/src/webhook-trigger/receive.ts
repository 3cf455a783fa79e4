import type { JsonObject } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { readHeader, refuse, toCause } from '../kit/triggers/webhook-trigger.ts';
import { receive, type WebhookHead } from '../receive.ts';
import type { Credential } from '../services.ts';
import { webhookTrigger } from './definition.ts';
import { type Call, isSigned, refusalOfHead, resolveCredential } from './verify.ts';

/** Headers that authenticate the sender, under any name; a run must not see them. */
const listProofHeaders = ({ params }: Call, credential: Credential | undefined): readonly string[] =>
  [params.signatureHeader, credential ? readConfigText(credential.values, 'header_key') : ''].map((name) =>
    name.trim().toLowerCase(),
  );

const harmless = ({ safe_headers }: WebhookHead, proofs: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(safe_headers).filter(([name]) => !proofs.includes(name)));

/** An address of its own for any service that can call one. */
export const receiveWebhook = receive(webhookTrigger, {
  kind: 'webhook',
  source: 'webhook',
  causes_kept_days: 30,
  route: 'webhooks',
  async screen(call, head) {
    const { methods } = call.params;
    if (!methods.some((verb) => verb === head.method)) {
      const headers = { Allow: methods.join(', ') };
      const { answer } = refuse(405, `This address is called with ${methods.join(', ')}`);
      return { answer: { ...answer, headers } };
    }
    return refusalOfHead(head, await resolveCredential(call));
  },
  async receive(call, request) {
    const { params, node_id, services } = call;
    const credential = await resolveCredential(call);
    if (credential?.type === 'webhook_secret' && !isSigned(request, call, credential))
      return refuse(401, 'The signature is missing or wrong');
    const { eventIdHeader, respond } = params;
    const event_id = eventIdHeader === '' ? '' : readHeader(request, eventIdHeader.trim().toLowerCase());
    const input = {
      body: await request.content(),
      headers: harmless(request, listProofHeaders(call, credential)),
      query: { ...request.query },
      method: request.method,
      triggered_by: 'webhook',
      trigger_node_id: node_id,
      triggered_at: new Date(services.now()).toISOString(),
    };
    return {
      answer: { status: 200, body: { ok: true } },
      event: { cause: toCause(event_id), input },
      ...(respond === 'immediately' ? {} : { answered_by: respond === 'at_end' ? 'end' : 'output' }),
    };
  },
});
