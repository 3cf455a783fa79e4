import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { JsonObject } from '@millrace/engine';
import { connectToRabbitmq, rabbitmqConfig } from '@millrace/nodes/testing/rabbitmq';
import { startWebsocketServer } from '@millrace/nodes/testing/websocket-server';
import { graph } from '@millrace/server/testing';
import { expect, vi } from 'vitest';
import { startDovecot } from '../../../packages/nodes/src/testing/servers/dovecot.ts';
import { localCertificate, localCertificateKey } from '../../../packages/nodes/src/testing/servers/tls.ts';
import { firstOutput, type SmokeCases, WITHIN } from '../smoke-case.ts';
import type { SmokeWorld } from '../world.ts';

/** A workflow that answers with what an expression makes of the trigger `in`. */
async function listen(world: SmokeWorld, type: string, data: JsonObject, message: string) {
  const node_id = `in-${randomUUID()}`;
  const nodes = [
    [node_id, type, { ...data, label: 'in' }],
    ['out', 'output', { message }],
  ] as const;
  return { node_id, id: await world.create(graph(nodes, [`${node_id}>out`])) };
}

/** Waits until the source of the trigger was looked at, or is connected. */
const reaches = ({ ask }: SmokeWorld, id: string, state: 'armed' | 'connected') =>
  vi.waitFor(async () => {
    expect(await ask('GET', `/api/triggers?workflow_id=${id}`)).toMatchObject([{ state }]);
  }, WITHIN);

async function deliver({ product }: SmokeWorld, path: string, body: string, headers: Record<string, string>) {
  const answer = await fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  expect(answer.status, await answer.text()).toBe(200);
}

const now = () => String(Math.floor(Date.now() / 1000));

/** Triggers, each through its own entry, and the nodes that speak to them. */
export const triggerCases: SmokeCases = {
  async cron(world) {
    const { id, node_id } = await listen(world, 'cron', { cronExpression: '0 0 1 1 *' }, '$in.cron');
    await world.ask('POST', `/api/workflows/${id}/triggers/${node_id}/run`);
    expect(await firstOutput(world, id)).toEqual({ result: '0 0 1 1 *' });
  },
  async webhookTrigger(world) {
    const credentialId = await world.store('webhook_secret', { secret: 'secret-of-the-sender' });
    const data = {
      credentialId,
      authentication: 'hmac',
      signatureHeader: 'X-Signature',
      methods: ['POST'],
    };
    const { id, node_id } = await listen(world, 'webhookTrigger', data, '$in.body.order');
    const body = '{"order":"seven"}';
    const signature = createHmac('sha256', 'secret-of-the-sender').update(body).digest('hex');
    const answer = await fetch(`${world.product.url}/api/webhooks/${node_id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': signature },
      body,
    });
    expect(answer.status, await answer.text()).toBeLessThan(300);
    expect(await firstOutput(world, id)).toEqual({ result: 'seven' });
  },
  async telegramTrigger(world) {
    const credentialId = await world.store('telegram', {
      bot_token: '1:canary',
      secret_token: 'secret-of-the-bot',
    });
    const { id, node_id } = await listen(world, 'telegramTrigger', { credentialId }, '$in.message.text');
    const update = JSON.stringify({ update_id: 7, message: { text: 'Grüße' } });
    await deliver(world, `/api/chatbot/webhook/${node_id}`, update, {
      'x-telegram-bot-api-secret-token': 'secret-of-the-bot',
    });
    expect(await firstOutput(world, id)).toEqual({ result: 'Grüße' });
  },
  async calTrigger(world) {
    const credentialId = await world.store('cal_trigger', { webhook_secret: 'secret-of-the-calendar' });
    const { id, node_id } = await listen(world, 'calTrigger', { credentialId }, '$in.payload.title');
    const body = JSON.stringify({
      triggerEvent: 'BOOKING_CREATED',
      createdAt: new Date().toISOString(),
      payload: { uid: 'b1', title: 'Grüße' },
    });
    const signature = createHmac('sha256', 'secret-of-the-calendar').update(body).digest('hex');
    await deliver(world, `/api/cal/webhook/${node_id}`, body, { 'x-cal-signature-256': signature });
    expect(await firstOutput(world, id)).toEqual({ result: 'Grüße' });
  },
  async slackTrigger(world) {
    const credentialId = await world.store('slack_trigger', { signing_secret: 'secret-of-the-chat' });
    const { id, node_id } = await listen(world, 'slackTrigger', { credentialId }, '$in.event.event.text');
    const body = JSON.stringify({
      type: 'event_callback',
      event_id: 'Ev1',
      event: { type: 'message', text: 'Grüße' },
    });
    const at = now();
    const signature = createHmac('sha256', 'secret-of-the-chat').update(`v0:${at}:${body}`).digest('hex');
    const headers = { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${signature}` };
    await deliver(world, `/api/workspacechat/webhook/${node_id}`, body, headers);
    expect(await firstOutput(world, id)).toEqual({ result: 'Grüße' });
  },
  async discordTrigger(world) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const credentialId = await world.store('discord_trigger', { public_key });
    const { id, node_id } = await listen(world, 'discordTrigger', { credentialId }, '$in.data.name');
    const body = JSON.stringify({ id: 'i1', type: 2, data: { name: 'ask' } });
    const at = now();
    const signature = sign(null, Buffer.from(at + body), privateKey).toString('hex');
    const headers = { 'x-signature-timestamp': at, 'x-signature-ed25519': signature };
    await deliver(world, `/api/interactions/webhook/${node_id}`, body, headers);
    expect(await firstOutput(world, id)).toEqual({ result: 'ask' });
  },
  async platformEventTrigger(world) {
    const { id } = await listen(
      world,
      'platformEventTrigger',
      { eventNames: [], ownEventNames: 'custom.smoke.heard' },
      '$in.count',
    );
    await vi.waitFor(async () => {
      expect(await world.ask('GET', `/api/triggers?workflow_id=${id}`)).toMatchObject([{ kind: 'event' }]);
    }, WITHIN);
    await world.ask('POST', '/api/platform-events', { name: 'custom.smoke.heard', payload: { order: 7 } });
    expect(await firstOutput(world, id)).toEqual({ result: 1 });
  },
  async publishEvent(world) {
    const data = { eventNames: [], ownEventNames: 'custom.smoke.published' };
    const { id } = await listen(world, 'platformEventTrigger', data, '$in.events[0].payload.order');
    const published = await world.runNode(
      'publishEvent',
      { eventName: 'custom.smoke.published', eventPayload: '{"order": "$input.id"}' },
      { id: 12 },
    );
    expect(published).toMatchObject({ name: 'custom.smoke.published' });
    expect(await firstOutput(world, id)).toEqual({ result: 12 });
  },
  async fileUploadTrigger({ create, ask, product }) {
    const content = graph(
      [
        ['take', 'fileUploadTrigger', { allowedTypes: '.txt' }],
        ['out', 'jsonOutputMapper', { mappings: [{ key: 'size', value: '$take.file.size' }] }],
      ],
      ['take>out'],
    );
    const id = await create(content);
    const { upload_url } = await ask<{ upload_url: string }>('POST', `/api/workflows/${id}/execute`, {});
    const form = new FormData();
    form.append('file', new Blob(['hello']), 'note.txt');
    const answer = await fetch(`${product.url}${new URL(upload_url).pathname}`, {
      method: 'POST',
      body: form,
    });
    expect(await answer.json()).toMatchObject({ status: 'success', output: { size: 5 } });
  },
  async imapTrigger(world) {
    const server = await startDovecot({
      cert: localCertificate,
      key: localCertificateKey,
      servername: 'localhost',
    });
    try {
      const config = {
        imap_host: 'localhost',
        imap_port: server.port,
        imap_username: 'ada',
        imap_password: 'secret',
      };
      const credentialId = await world.store('imap', config);
      const { id, node_id } = await listen(world, 'imapTrigger', { credentialId }, '$in.email.subject');
      await reaches(world, id, 'armed');
      await server.deliver('ada', 'From: Ada <ada@example.com>\nSubject: Order 7\n\nHello\n');
      // A trigger that is resumed looks at once; left alone, it would look at its next minute.
      const pause = `/api/workflows/${id}/triggers/${node_id}/pause`;
      await world.ask('PUT', pause);
      await world.ask('DELETE', pause);
      expect(await firstOutput(world, id)).toEqual({ result: 'Order 7' });
      await world.ask('DELETE', `/api/workflows/${id}`);
    } finally {
      await server.stop();
    }
  },
  async websocketTrigger(world) {
    const server = await startWebsocketServer();
    try {
      const { id } = await listen(
        world,
        'websocketTrigger',
        { websocketUrl: server.url },
        '$in.message.data.price',
      );
      await reaches(world, id, 'connected');
      server.send('{"price": 7}');
      expect(await firstOutput(world, id)).toEqual({ result: 7 });
      await world.ask('DELETE', `/api/workflows/${id}`);
    } finally {
      await server.stop();
    }
  },
  async websocketSend({ runNode }) {
    const server = await startWebsocketServer();
    try {
      const data = { websocketUrl: server.url, websocketMessage: '{"id": $input.id}' };
      expect(await runNode('websocketSend', data, { id: 12 })).toMatchObject({
        status: 'sent',
        url: server.url,
      });
      await vi.waitFor(() => expect(server.received.map(String)).toEqual(['{"id": 12}']), WITHIN);
    } finally {
      await server.stop();
    }
  },
  async rabbitmq(world) {
    const queue = `smoke-${randomUUID()}`;
    const broker = await connectToRabbitmq();
    const channel = await broker.createConfirmChannel();
    await channel.assertQueue(queue, { durable: true });
    try {
      const credentialId = await world.store('rabbitmq', rabbitmqConfig);
      const data = { credentialId, rabbitmqOperation: 'receive', rabbitmqQueueName: queue };
      const { id } = await listen(world, 'rabbitmq', data, '$in.body.order');
      await reaches(world, id, 'connected');
      const send = {
        credentialId,
        rabbitmqOperation: 'send',
        rabbitmqQueueName: queue,
        rabbitmqMessageBody: '{"order": "$input.id"}',
      };
      expect(await world.runNode('rabbitmq', send, { id: 12 })).toMatchObject({
        status: 'published',
        routing_key: queue,
      });
      expect(await firstOutput(world, id)).toEqual({ result: 12 });
      await world.ask('DELETE', `/api/workflows/${id}`);
    } finally {
      await channel.deleteQueue(queue);
      await broker.close();
    }
  },
};
