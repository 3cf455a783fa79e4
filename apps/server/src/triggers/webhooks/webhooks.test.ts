import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../adapters/postgres/open.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  silent,
} from '../../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { webhookConformance } from '../conformance/webhook.conformance.ts';

const SIGNING_SECRET = 'a-signing-secret-of-32-characters';
const BOT_SECRET = 'webhook-secret-of-the-bot';
const INTERACTION_TOKEN = 'token-that-may-answer-for-the-application';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const publicHex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
const seconds = (now_ms: number) => String(Math.floor(now_ms / 1000));

function signedSlack(body: string, timestamp: string, secret = SIGNING_SECRET) {
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { body, headers: { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` } };
}

function signedDiscord(body: string, timestamp: string, key = privateKey) {
  const signature = sign(null, Buffer.from(timestamp + body), key).toString('hex');
  return { body, headers: { 'x-signature-timestamp': timestamp, 'x-signature-ed25519': signature } };
}

const slackEvent = (name: string) => ({
  event_id: name,
  type: 'event_callback',
  event: { type: 'app_mention', text: 'Grüße' },
});
const discordEvent = (name: string) => ({
  id: name,
  type: 2,
  data: { name: 'ask' },
  token: INTERACTION_TOKEN,
});
const hashName = (name: string) =>
  [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_000;
const update = (name: string) => ({ update_id: hashName(name), message: { text: name } });

describeOnPostgres('webhooks', () => {
  let apps: TestApp[];
  let user: TestUser;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const { url, database } = await openPostgresForTest();
    const start = () => createTestApp({ database: openPostgres({ url, log: silent }) });
    apps = [await start(), await start()];
    user = await (apps[0] as TestApp).user();
    close = () => database.close();
  }, 60_000);
  afterAll(async () => {
    for (const app of apps) await app.close();
    await close();
  });

  const shared = { apps: () => apps, user: () => user };

  webhookConformance({
    ...shared,
    route: 'workspacechat',
    type: 'slackTrigger',
    credential: { type: 'slack_trigger', config: { signing_secret: SIGNING_SECRET } },
    triggered_by: 'Slack',
    deliver: (name, now_ms) => signedSlack(JSON.stringify(slackEvent(name)), seconds(now_ms)),
    buildExpectedInput: (name) => ({ event: slackEvent(name) }),
    accepted: { ok: true },
    refused(now_ms) {
      const body = JSON.stringify(slackEvent('bad'));
      const good = signedSlack(body, seconds(now_ms));
      return [
        ['unsigned', { body, headers: {} }, 403],
        ['signed with another secret', signedSlack(body, seconds(now_ms), 'another'), 403],
        ['changed behind the signature', { ...good, body: `${body} ` }, 403],
        ['too old by a second', signedSlack(body, seconds(now_ms - 301_000)), 403],
        [
          'of another time than the signed one',
          { body, headers: { ...good.headers, 'x-slack-request-timestamp': seconds(now_ms + 1_000) } },
          403,
        ],
        ['from the future', signedSlack(body, seconds(now_ms + 360_000)), 403],
        ['no JSON', signedSlack('{', seconds(now_ms)), 400],
        ['an unsigned handshake', { body: '{"type":"url_verification","challenge":"c"}', headers: {} }, 403],
      ];
    },
    handshakes: (now_ms) => [
      [signedSlack('{"type":"url_verification","challenge":"c"}', seconds(now_ms)), { challenge: 'c' }],
    ],
    secrets: [SIGNING_SECRET, 'v0='],
  });

  webhookConformance({
    ...shared,
    route: 'interactions',
    type: 'discordTrigger',
    credential: { type: 'discord_trigger', config: { public_key: publicHex } },
    triggered_by: 'Discord',
    deliver: (name, now_ms) => signedDiscord(JSON.stringify(discordEvent(name)), seconds(now_ms)),
    buildExpectedInput: (name) => ({
      interaction: { id: name, type: 2, data: { name: 'ask' } },
      type: 2,
      data: { name: 'ask' },
    }),
    accepted: { type: 5 },
    refused(now_ms) {
      const body = JSON.stringify(discordEvent('bad'));
      const good = signedDiscord(body, seconds(now_ms));
      return [
        ['unsigned', { body, headers: {} }, 401],
        ['changed behind the signature', { ...good, body: `${body} ` }, 401],
        [
          'another signature',
          { ...good, headers: { ...good.headers, 'x-signature-ed25519': 'ab'.repeat(64) } },
          401,
        ],
        [
          'signed with another key',
          signedDiscord(body, seconds(now_ms), generateKeyPairSync('ed25519').privateKey),
          401,
        ],
        [
          'a signature that is not hexadecimal',
          { ...good, headers: { ...good.headers, 'x-signature-ed25519': 'not hexadecimal' } },
          401,
        ],
        ['too old by a second', signedDiscord(body, seconds(now_ms - 301_000)), 401],
        ['an unsigned ping', { body: '{"type":1}', headers: {} }, 401],
        ['no JSON', signedDiscord('[]', seconds(now_ms)), 400],
      ];
    },
    handshakes: (now_ms) => [[signedDiscord('{"type":1}', seconds(now_ms)), { type: 1 }]],
    secrets: [INTERACTION_TOKEN],
  });

  const chatbot = (name: string, header: string) => ({
    body: JSON.stringify(update(name)),
    headers: { [header]: BOT_SECRET },
  });
  webhookConformance({
    ...shared,
    route: 'chatbot',
    type: 'telegramTrigger',
    credential: { type: 'telegram', config: { bot_token: '1:token-of-the-bot', secret_token: BOT_SECRET } },
    triggered_by: 'telegram',
    deliver: (name) =>
      chatbot(name, name === 'one' ? 'x-chatbot-api-secret-token' : 'x-telegram-bot-api-secret-token'),
    buildExpectedInput: (name) => ({ update: update(name), message: { text: name } }),
    accepted: { ok: true },
    refused: () => [
      ['without the secret', { body: JSON.stringify(update('bad')), headers: {} }, 403],
      [
        'with another secret',
        { body: JSON.stringify(update('bad')), headers: { 'x-chatbot-api-secret-token': 'another' } },
        403,
      ],
      ['no JSON', { ...chatbot('bad', 'x-chatbot-api-secret-token'), body: 'hello' }, 400],
      [
        'a forbidden key',
        { ...chatbot('bad', 'x-chatbot-api-secret-token'), body: '{"__proto__": {}}' },
        400,
      ],
    ],
    handshakes: () => [],
    secrets: [BOT_SECRET],
  });

  test('§4.3, §5.7: a chatbot credential without a secret lets deliveries in, a credential that is gone does not', async () => {
    const [app] = apps;
    const made = await user.call('POST', '/api/credentials', {
      name: 'open',
      type: 'telegram',
      config: { bot_token: '2:token-of-the-bot' },
    });
    const { id: credentialId } = made.json<{ id: string }>();
    const node = (id: string, data: object) => ({
      id,
      type: 'telegramTrigger',
      position: { x: 0, y: 0 },
      data: { label: id, ...data },
    });
    const nodes = [
      node('open-bot', { credentialId }),
      node('closed-bot', { credentialId, active: false }),
      node('lost-bot', { credentialId: '00000000-0000-4000-8000-000000000000' }),
    ];
    const saved = await user.call('POST', '/api/workflows', { name: 'bots', nodes, edges: [] });
    const { id } = saved.json<{ id: string }>();
    const post = async (node_id: string, route = 'chatbot') =>
      (await app?.call('POST', `/api/${route}/webhook/${node_id}`, { update_id: 1 }))?.statusCode;
    expect(await post('open-bot', 'workspacechat')).toBe(404);
    expect(await post('open-bot')).toBe(200);
    const history = await user.call('GET', `/api/workflows/${id}/history`);
    expect(history.json()).toMatchObject({ items: [{ trigger_source: 'telegram' }] });
    expect(await post('closed-bot')).toBe(404);
    expect(await post('lost-bot')).toBe(403);
  });
});
