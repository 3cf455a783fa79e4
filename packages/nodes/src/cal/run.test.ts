import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import type { SeenRequest, ServerAnswer } from '../testing/servers/json-server.ts';
import { getEffect, runAtService, type TestService } from '../testing/servers/test-service.ts';
import { calCredential } from './credential.ts';

const WEBHOOKS = Array.from({ length: 260 }, (_, index) => ({ id: `w${index + 1}`, active: true }));
const FIELDS = ['subscriberUrl', 'triggers', 'active', 'secret', 'payloadTemplate', 'version'];

/** https://cal.com/docs/api-reference/v2/webhooks */
function api({ method, path, query, headers, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer cal_key')
    return { status: 401, body: { message: 'Invalid API key' } };
  const done = (data: unknown, status = 200) => ({ status, body: { status: 'success', data } });
  if (method === 'GET' && path === '/v2/webhooks') {
    const [skip, take] = [Number(query['skip']), Number(query['take'])];
    if (!(take >= 1 && take <= 250))
      return { status: 400, body: { message: 'take must not be greater than 250' } };
    return done(WEBHOOKS.slice(skip, skip + take));
  }
  const unknown = Object.keys(body ?? {}).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    return { status: 400, body: { message: `property ${unknown} should not exist` } };
  if (method === 'POST' && path === '/v2/webhooks') return done({ id: 'w9', ...(body as object) }, 201);
  if (method === 'PATCH' && path === '/v2/webhooks/w1%2F2') return done({ id: 'w1/2', ...(body as object) });
  if (method === 'DELETE' && path === '/v2/webhooks/w1%2F2') return done({ id: 'w1/2' });
  return { status: 404, body: { message: 'Webhook not found' } };
}

const service: TestService = { node: 'cal', credential: 'cal_api', api };
const run = async (data: JsonObject, base = '') =>
  (
    await runAtService(service, data, {
      values: (url) => ({ api_key: 'cal_key', base_url: `${url}${base}` }),
    })
  ).result;

test.each(['', '/', '/v2', '/v2/'])(
  'lists webhooks of all pages at an address that ends with "%s"',
  async (base) => {
    expect(await run({ calOperation: 'listWebhooks' }, base)).toEqual({
      output: { success: true, operation: 'listWebhooks', webhooks: WEBHOOKS, count: 260 },
    });
  },
);

test.each(['', '/v2/'])('the connection is tested where the node calls, at "%s"', async (base) => {
  const service = calCredential.connect?.({ api_key: 'k', base_url: `https://cal.example${base}` });
  expect(service?.base_url).toBe('https://cal.example/v2');
  expect(calCredential.connect?.({ api_key: 'k' })?.base_url).toBe('https://api.cal.com/v2');
});

test.each([
  [
    { calOperation: 'createWebhook', calWebhook: '{"subscriberUrl": "https://example.com", "active": true}' },
    { webhook: { id: 'w9', subscriberUrl: 'https://example.com', active: true } },
  ],
  [
    { calOperation: 'updateWebhook', calWebhookId: ' w1/2 ', calWebhook: { active: false } },
    { webhook: { id: 'w1/2', active: false } },
  ],
  [
    { calOperation: 'deleteWebhook', calWebhookId: 'w1/2' },
    { deleted: true, webhookId: 'w1/2' },
  ],
])('%j', async (data, output) => {
  expect(await run(data)).toEqual({ output: { success: true, operation: data.calOperation, ...output } });
});

test.each([
  [{ calOperation: 'updateWebhook', calWebhook: '{"active": true}' }, 'calWebhookId', /Enter the id/],
  [{ calOperation: 'deleteWebhook' }, 'calWebhookId', /Enter the id/],
  [{ calOperation: 'createWebhook' }, 'calWebhook', /at least one value/],
  [{ calOperation: 'createWebhook', calWebhook: '[1]' }, 'calWebhook', /must be a JSON object/],
])('%j is refused before the service is asked', async (data, field, message) => {
  expect(await run(data)).toMatchObject({
    failure: { kind: 'params', field, message: expect.stringMatching(message) as string },
  });
});

test('a refusal says what the service says', async () => {
  expect(await run({ calOperation: 'deleteWebhook', calWebhookId: 'gone' })).toMatchObject({
    failure: { message: expect.stringContaining('Webhook not found') as string },
  });
  expect(await run({ calOperation: 'createWebhook', calWebhook: '{"url": "x"}' })).toMatchObject({
    failure: { message: expect.stringContaining('property url should not exist') as string },
  });
});

test('only creating a webhook must not be repeated', () => {
  const effects = ['listWebhooks', 'createWebhook', 'updateWebhook', 'deleteWebhook'].map((calOperation) =>
    getEffect('cal', { calOperation }),
  );
  expect(effects).toEqual(['read', 'unsafe', 'idempotent', 'idempotent']);
});
