import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** A delivery is small; anything larger is no event of these platforms. */
const MOST_BYTES = 5 * 1024 * 1024;

const tag = 'Webhooks';
const params = z.object({ node_id: z.string().min(1).max(200) });
const errors = [
  'bad_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'rate_limited',
  'unavailable',
] as const;

const webhook = <const Id extends string>(id: Id, route: string, summary: string) =>
  endpoint({
    id,
    method: 'POST',
    path: `/api/${route}/webhook/{node_id}`,
    tag,
    summary,
    auth: 'own',
    kind: 'raw',
    params,
    errors,
    body_limit: MOST_BYTES,
  });

export const chatbotWebhook = webhook(
  'chatbotWebhook',
  'chatbot',
  'Delivery of a chatbot platform (§5.7); answered when its run is stored',
);
export const interactionsWebhook = webhook(
  'interactionsWebhook',
  'interactions',
  'Delivery of an interactions platform (§5.7); answered when its run is stored',
);
export const workspaceChatWebhook = webhook(
  'workspaceChatWebhook',
  'workspacechat',
  'Delivery of a workspace chat (§5.7); answered when its run is stored',
);
export const bookingWebhook = webhook(
  'bookingWebhook',
  'cal',
  'Delivery of a booking calendar (§5.7); answered when its run is stored',
);

/** Forms with files are larger than events. */
const MOST_CONTENT_BYTES = 16 * 1024 * 1024;

export const genericWebhook = endpoint({
  id: 'genericWebhook',
  method: 'POST',
  also_methods: ['GET', 'PUT', 'PATCH', 'DELETE'],
  path: '/api/webhooks/{node_id}',
  tag,
  summary:
    'Call of a Webhook node with the verbs and the authentication that it asks for; answered when its run is stored, or by the run. `X-Execution-Id` has the id of the run; a delivery that repeats an earlier one has that of the first, and `Idempotent-Replayed: true`',
  auth: 'own',
  kind: 'raw',
  params,
  errors: [...errors, 'method_not_allowed', 'too_large', 'invalid_input'],
  body_limit: MOST_CONTENT_BYTES,
});

export const testWebhook = endpoint({
  id: 'testWebhook',
  method: 'POST',
  also_methods: ['GET', 'PUT', 'PATCH', 'DELETE'],
  path: '/api/webhooks/test/{token}',
  tag,
  summary:
    'Delivery to the test address of a webhook node, which a user opens in the editor: checked like one to its own address and shown there; it starts no run',
  auth: 'own',
  kind: 'raw',
  params: z.object({ token: z.string().min(1).max(100) }),
  errors: [...errors, 'method_not_allowed', 'too_large', 'invalid_input'],
  body_limit: MOST_CONTENT_BYTES,
});

/** Addresses of the published triggers of a type. */
export const publishedWebhooks = [
  chatbotWebhook,
  interactionsWebhook,
  workspaceChatWebhook,
  bookingWebhook,
  genericWebhook,
] as const;

export const webhookEndpoints = [...publishedWebhooks, testWebhook] as const;
