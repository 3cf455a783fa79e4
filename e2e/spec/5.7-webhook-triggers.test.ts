import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { createWorkflow, graph, sendAnswers, useTestApp } from '@millrace/server/testing';
import { describe, expect, it, vi } from 'vitest';

const app = await useTestApp();
const owner = await app.user();

const SIGNING_SECRET = 'signing-secret-of-the-chat-app';
const BOT_SECRET = 'secret-of-the-bot-webhook';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

let count = 0;
/** A workflow of one trigger that answers with what an expression gives; resolves to its ids. */
async function hook(
  type: string,
  credential: { type: string; config: JsonObject },
  message: string,
  last = 'output',
): Promise<{ id: string; node_id: string }> {
  count += 1;
  const node_id = `hook-${count}`;
  const made = await owner.call('POST', '/api/credentials', { name: `credential${count}`, ...credential });
  expect(made.statusCode, made.body).toBe(201);
  const credentialId = made.json<{ id: string }>().id;
  const content = graph(
    [
      [node_id, type, { label: 'in', credentialId }],
      ['out', last, last === 'output' ? { message } : { errorMessage: message }],
    ],
    [`${node_id}>out`],
  );
  return { id: await createWorkflow(owner, content), node_id };
}

async function deliver(path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await app.call('POST', `/api/${path}`, Buffer.from(body), {
    'content-type': 'application/json',
    authorization: 'Bearer of-a-proxy',
    'x-request-note': 'kept',
    ...headers,
  });
  return { status: answer.statusCode, body: answer.json<unknown>() };
}

interface Detail {
  readonly id: string;
  readonly status: string;
  readonly trigger_source: string | null;
  readonly inputs: JsonObject & { headers: Record<string, string> };
  readonly outputs: JsonObject;
}
const fetchEntries = async (id: string) =>
  (await owner.call('GET', `/api/workflows/${id}/history`)).json<{
    items: { id: string; status: string }[];
  }>().items;
/** The only run of a workflow, once it has ended. */
async function onlyRun(id: string): Promise<Detail> {
  const [entry] = await vi.waitUntil(
    async () => {
      const items = await fetchEntries(id);
      return items.length === 1 && items[0]?.status !== 'running' ? items : undefined;
    },
    { timeout: 15_000, interval: 25 },
  );
  return (await owner.call('GET', `/api/workflows/${id}/history/${entry?.id}`)).json<Detail>();
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/;
const seconds = () => String(Math.floor(app.clock.now / 1000));

describe('§5.7 workspace chat', () => {
  const credential = { type: 'slack_trigger', config: { signing_secret: SIGNING_SECRET } };
  const event = { type: 'event_callback', event_id: 'Ev1', event: { type: 'message', text: 'Grüße' } };
  const signed = (body: string, at = seconds()) => ({
    'x-workspacechat-request-timestamp': at,
    'x-workspacechat-signature': `v0=${createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex')}`,
  });

  it('§5.7 §6.2 §6.3: a delivery with the HMAC-SHA256 of the signing secret starts a run', async () => {
    const { id, node_id } = await hook('slackTrigger', credential, '$in.event.event.text');
    const body = JSON.stringify(event);
    const answer = await deliver(`workspacechat/webhook/${node_id}`, body, signed(body));
    expect(answer).toEqual({ status: 200, body: { ok: true } });
    const run = await onlyRun(id);
    expect(run).toMatchObject({
      status: 'success',
      trigger_source: 'Slack',
      inputs: { event, triggered_by: 'Slack', trigger_node_id: node_id },
      outputs: { out: { result: 'Grüße' } },
    });
    expect(run.inputs.headers).toMatchObject({ 'x-request-note': 'kept' });
    expect(Object.keys(run.inputs.headers).join()).not.toMatch(/authorization|signature/);
  });
});

describe('§5.7 booking calendar', () => {
  const secret = 'secret-of-the-calendar';
  const credential = { type: 'cal_trigger', config: { webhook_secret: secret } };
  const event = {
    triggerEvent: 'BOOKING_CREATED',
    createdAt: new Date(app.clock.now).toISOString(),
    payload: { uid: 'b1', title: 'Grüße' },
  };
  const signed = (body: string, prefix = '') => ({
    'x-cal-signature-256': `${prefix}${createHmac('sha256', secret).update(body).digest('hex')}`,
  });

  it('§5.7 §6.2 §6.3: a delivery with the HMAC-SHA256 of the webhook secret starts one run', async () => {
    const { id, node_id } = await hook('calTrigger', credential, '$in.triggerEvent: $in.payload.title');
    const body = JSON.stringify(event);
    for (const prefix of ['', 'sha256=']) {
      const answer = await deliver(`cal/webhook/${node_id}`, body, signed(body, prefix));
      expect(answer).toEqual({ status: 200, body: { ok: true } });
    }
    const run = await onlyRun(id);
    expect(run).toMatchObject({
      status: 'success',
      trigger_source: 'Cal.com',
      inputs: {
        event,
        trigger_event: 'BOOKING_CREATED',
        payload: event.payload,
        triggered_by: 'Cal.com',
        trigger_node_id: node_id,
        triggered_at: expect.stringMatching(ISO) as string,
      },
      outputs: { out: { result: 'BOOKING_CREATED: Grüße' } },
    });
    expect(run.inputs.headers).toMatchObject({ 'x-request-note': 'kept' });
    expect(Object.keys(run.inputs.headers).join()).not.toMatch(/authorization|signature/);
  });

  it('§5.7: events without a time are not taken for repetitions of each other', async () => {
    const { id, node_id } = await hook('calTrigger', credential, 'ok');
    const body = JSON.stringify({ content: 'A new event has been scheduled' });
    for (let times = 0; times < 2; times += 1) {
      expect(await deliver(`cal/webhook/${node_id}`, body, signed(body))).toMatchObject({ status: 200 });
    }
    await vi.waitUntil(async () => (await fetchEntries(id)).length === 2, { timeout: 15_000, interval: 25 });
  });

  it('§5.7: a delivery that is unsigned, changed or no JSON object starts nothing', async () => {
    const { id, node_id } = await hook('calTrigger', credential, 'ok');
    const body = JSON.stringify(event);
    const path = `cal/webhook/${node_id}`;
    expect(await deliver(path, body)).toMatchObject({ status: 403 });
    expect(await deliver(path, `${body} `, signed(body))).toMatchObject({ status: 403 });
    expect(await deliver(path, '[]', signed('[]'))).toMatchObject({ status: 400 });
    const old = JSON.stringify({ ...event, createdAt: new Date(app.clock.now - 31 * DAY_MS).toISOString() });
    expect(await deliver(path, old, signed(old))).toMatchObject({ status: 403 });
    expect(await fetchEntries(id)).toEqual([]);
  });
});

/** Outgoing requests of the service, with prepared responses. */
function outside(status: () => number) {
  const sent: { method: string; url: string; body: Record<string, unknown> }[] = [];
  const spy = vi.spyOn(app.services.egress, 'request').mockImplementation(async ({ method, url, body }) => {
    sent.push({ method, url, body: JSON.parse(String(body)) });
    return { status: status(), url, headers: {}, body: (async function* () {})() };
  });
  return { sent, end: () => spy.mockRestore() };
}

describe('§5.7 interactions platform', () => {
  const credential = { type: 'discord_trigger', config: { public_key: PUBLIC_KEY } };
  const interaction = { id: 'i1', type: 2, data: { name: 'ask', options: [{ value: 'why' }] } };
  const signed = (body: string, at = seconds()) => ({
    'x-signature-timestamp': at,
    'x-signature-ed25519': sign(null, Buffer.from(at + body), privateKey).toString('hex'),
  });

  const asked = { ...interaction, application_id: 'app 1', token: 'may-answer-for-the-application' };
  const look = () => sendAnswers(app.services, new AbortController().signal);
  const loadDeferredAnswers = async (run_id: string) =>
    (
      await app.services.database.sql.query<{ sealed: string; left_s: number }>({
        text: `SELECT sealed, extract(epoch FROM expires_at - now())::float8 AS left_s
          FROM deferred_answers WHERE run_id = $1`,
        values: [run_id],
      })
    ).rows;
  /** Delivers an interaction and resolves to its finished run. */
  async function ask(message: string, last?: string) {
    const { id, node_id } = await hook('discordTrigger', credential, message, last);
    const body = JSON.stringify({ ...asked, id: `i-${node_id}` });
    expect((await deliver(`interactions/webhook/${node_id}`, body, signed(body))).body).toEqual({ type: 5 });
    return onlyRun(id);
  }

  it('§5.7: the deferred answer becomes the result when the run ends; its token is kept encrypted until then', async () => {
    const platform = outside(() => 200);
    const run = await ask('It is $in.data.name');
    const [kept] = await loadDeferredAnswers(run.id);
    expect(kept?.sealed).not.toContain('may-answer');
    expect(kept?.left_s).toBeGreaterThan(800);
    expect(kept?.left_s).toBeLessThanOrEqual(900);
    await look();
    await look();
    expect(platform.sent).toEqual([
      {
        method: 'PATCH',
        url: 'https://discord.com/api/v10/webhooks/app%201/may-answer-for-the-application/messages/@original',
        body: { content: 'It is ask', allowed_mentions: { parse: [] } },
      },
    ]);
    expect(await loadDeferredAnswers(run.id)).toEqual([]);
    platform.end();
  });

  it('§5.7: a long result is cut to 2000 characters, and a failure is answered without its reason', async () => {
    const platform = outside(() => 200);
    await ask('long '.repeat(500));
    await look();
    await ask('internal reason', 'throwError');
    await look();
    const [long, failed] = platform.sent.map(({ body }) => String(body['content']));
    expect(long).toHaveLength(2000);
    expect(failed).toBe('This could not be completed.');
    platform.end();
  });

  it('§5.7: an answer is retried after an error of the platform and dropped when the platform no longer accepts it', async () => {
    let status = 503;
    const platform = outside(() => status);
    const { id: run_id } = await ask('ok');
    const ready = () =>
      app.services.database.sql.query({
        text: "UPDATE deferred_answers SET ready_at = now() - interval '1 second'",
      });
    await look();
    await look();
    expect(platform.sent).toHaveLength(1);
    expect(await loadDeferredAnswers(run_id)).toHaveLength(1);
    await ready();
    status = 404;
    await look();
    expect(platform.sent).toHaveLength(2);
    expect(await loadDeferredAnswers(run_id)).toEqual([]);
    platform.end();
  });

  it('§5.7: a run still going near the end of the 15 minutes is answered with a notice', async () => {
    const platform = outside(() => 200);
    const { id: run_id } = await ask('ok');
    const { sql } = app.services.database;
    await sql.query({
      text: 'UPDATE deferred_answers SET run_id = gen_random_uuid() WHERE run_id = $1',
      values: [run_id],
    });
    await look();
    expect(platform.sent).toEqual([]);
    await sql.query({ text: "UPDATE deferred_answers SET expires_at = now() + interval '20 seconds'" });
    await look();
    expect(platform.sent).toMatchObject([{ body: { content: expect.stringContaining('longer') } }]);
    platform.end();
  });

  it('§5.7 §6.2 §6.3: a delivery signed for the public key of the selected credential starts a run', async () => {
    const { id, node_id } = await hook('discordTrigger', credential, '$in.data.name $in.type');
    const body = JSON.stringify({ ...interaction, token: 'may-answer-for-the-application' });
    const answer = await deliver(`interactions/webhook/${node_id}`, body, signed(body));
    expect(answer).toEqual({ status: 200, body: { type: 5 } });
    const run = await onlyRun(id);
    expect(run).toMatchObject({
      status: 'success',
      trigger_source: 'Discord',
      inputs: {
        interaction,
        type: 2,
        data: interaction.data,
        triggered_by: 'Discord',
        trigger_node_id: node_id,
        triggered_at: expect.stringMatching(ISO),
      },
      outputs: { out: { result: 'ask 2' } },
    });
    expect(run.inputs.headers).toMatchObject({ 'x-request-note': 'kept' });
    expect(Object.keys(run.inputs.headers).join()).not.toMatch(/authorization|signature-ed/);
    expect(JSON.stringify(run)).not.toContain('may-answer-for-the-application');
  });
});

describe('§5.7 chatbot platform', () => {
  const withSecret = { type: 'telegram', config: { bot_token: '1:bot', secret_token: BOT_SECRET } };
  const update = { update_id: 7, message: { chat: { id: 5 }, text: 'hello' } };
  const secret = { 'x-chatbot-api-secret-token': BOT_SECRET };

  it('§5.7 §6.2 §6.3: a delivery with the secret token of the credential starts a run', async () => {
    const { id, node_id } = await hook('telegramTrigger', withSecret, '$in.message.text');
    const answer = await deliver(`chatbot/webhook/${node_id}`, JSON.stringify(update), secret);
    expect(answer).toEqual({ status: 200, body: { ok: true } });
    const run = await onlyRun(id);
    expect(run).toMatchObject({
      status: 'success',
      trigger_source: 'telegram',
      inputs: {
        update,
        message: update.message,
        triggered_by: 'telegram',
        trigger_node_id: node_id,
        triggered_at: expect.stringMatching(ISO),
      },
      outputs: { out: { result: 'hello' } },
    });
    expect(run.inputs).not.toHaveProperty('callback_query');
    expect(run.inputs.headers).toMatchObject({ 'x-request-note': 'kept' });
    expect(JSON.stringify(run)).not.toContain(BOT_SECRET);
  });

  it('§6.2: callback_query is there when the update has one, and its message is the message', async () => {
    const { id, node_id } = await hook('telegramTrigger', withSecret, '$in.callback_query.data');
    const callback_query = { id: 'q', data: 'yes', message: { text: 'Sure?' } };
    await deliver(`chatbot/webhook/${node_id}`, JSON.stringify({ update_id: 8, callback_query }), secret);
    expect(await onlyRun(id)).toMatchObject({
      inputs: { callback_query, message: callback_query.message },
      outputs: { out: { result: 'yes' } },
    });
  });

  it('§5.7: a secret token with other letters than ASCII is taken as UTF-8 and as Latin-1', async () => {
    const secret_token = 'clé-secrète';
    const config = { bot_token: '3:bot', secret_token };
    const { node_id } = await hook('telegramTrigger', { type: 'telegram', config }, 'ok');
    const statusWith = async (given: string) => {
      const headers = { 'x-chatbot-api-secret-token': given };
      return (await deliver(`chatbot/webhook/${node_id}`, JSON.stringify(update), headers)).status;
    };
    expect(await statusWith(secret_token)).toBe(200);
    expect(await statusWith(Buffer.from(secret_token).toString('latin1'))).toBe(200);
    expect(await statusWith('cle-secrete')).toBe(403);
  });
});

describe('§5.7 editor runs', () => {
  it('§5.7, §5.1, §6.1: what the canvas shows is run with a session alone, also when calls need none', async () => {
    const says = (message: string) =>
      graph(
        [
          ['start', 'textInput'],
          ['out', 'output', { message }],
        ],
        ['start>out'],
      );
    const id = await createWorkflow(owner, says('published'));
    await owner.call('PUT', `/api/workflows/${id}?draft=true`, says('draft'));
    const run = (authorization?: string) =>
      app.call(
        'POST',
        `/api/workflows/${id}/execute/stream`,
        {},
        { 'x-trigger-source': 'Canvas', 'x-run-draft': 'true', ...(authorization ? { authorization } : {}) },
      );
    expect((await run()).statusCode).toBe(403);
    expect((await run(`Bearer ${(await app.user()).access_token}`)).statusCode).toBe(403);
    expect(await fetchEntries(id)).toEqual([]);
    expect((await run(`Bearer ${owner.access_token}`)).statusCode).toBe(200);
    expect(await onlyRun(id)).toMatchObject({
      trigger_source: 'Canvas',
      outputs: { out: { result: 'draft' } },
    });
    const { body } = await app.call('POST', `/api/workflows/${id}/execute/stream`, {});
    expect(body).toContain('"result":"published"');
    expect(body).not.toContain('"result":"draft"');
  });
});

it('§7: what a trigger refuses has the body of every other refusal, and a 401 says its scheme', async () => {
  const chatbot = await hook('telegramTrigger', { type: 'telegram', config: { bot_token: '4:b' } }, 'ok');
  const closed = { type: 'telegram', config: { bot_token: '5:b', secret_token: BOT_SECRET } };
  const secret = await hook('telegramTrigger', closed, 'ok');
  const chat = { type: 'slack_trigger', config: { signing_secret: SIGNING_SECRET } };
  const workspace = await hook('slackTrigger', chat, 'ok');
  const platform = { type: 'discord_trigger', config: { public_key: PUBLIC_KEY } };
  const interactions = await hook('discordTrigger', platform, 'ok');
  const any = await hook(
    'webhookTrigger',
    { type: 'bearer', config: { bearer_token: 'of-the-sender' } },
    'ok',
  );
  const refused = [
    ['POST', `chatbot/webhook/${chatbot.node_id}`, 400, 'bad_request'],
    ['POST', `chatbot/webhook/${secret.node_id}`, 403, 'forbidden'],
    ['POST', `workspacechat/webhook/${workspace.node_id}`, 403, 'forbidden'],
    ['POST', `interactions/webhook/${interactions.node_id}`, 401, 'unauthenticated'],
    ['PUT', `webhooks/${any.node_id}`, 405, 'method_not_allowed'],
  ] as const;
  for (const [method, path, status, code] of refused) {
    const answer = await app.call(method, `/api/${path}`, Buffer.from('[]'), {
      'content-type': 'application/json',
    });
    expect([answer.statusCode, answer.json()], path).toEqual([
      status,
      { detail: expect.any(String), code, request_id: expect.stringMatching(/./) },
    ]);
    expect(answer.headers['www-authenticate'], path).toBe(status === 401 ? 'Bearer' : undefined);
    expect(answer.headers['allow'], path).toBe(status === 405 ? 'POST' : undefined);
  }
});
