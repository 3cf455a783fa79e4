import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

/** Strict about the webhook's address, as https://docs.discord.com/developers/resources/webhook describes it. */
async function run(data: JsonObject, answer: ServerAnswer = { body: { id: '9007199254740993' } }) {
  const server = await serveJson(({ method, path }) =>
    method === 'POST' && path === '/api/webhooks/1/canary'
      ? answer
      : { status: 404, body: { message: 'Unknown Webhook' } },
  );
  const values = { webhook_url: `${server.url}/api/webhooks/1/canary` };
  const result = await runNode(
    'discord',
    { credentialId: 'c', ...data },
    {
      inputs: { start: { text: 'Hello ü' } },
      services: {
        http: realEgress(),
        credential: (id) => Promise.resolve({ id, name: 'd', type: 'discord', values }),
      },
    },
  );
  return { result, seen: server.seen };
}

test('a message is posted and the stored message is the response', async () => {
  const { result, seen } = await run({ username: 'Bot', avatarUrl: 'https://example.com/a.png' });
  expect(result).toEqual({
    output: {
      status: 200,
      response: { id: '9007199254740993' },
      message: 'Hello ü',
      username: 'Bot',
      avatar_url: 'https://example.com/a.png',
    },
  });
  expect(seen).toMatchObject([
    {
      query: { wait: 'true' },
      body: { content: 'Hello ü', username: 'Bot', avatar_url: 'https://example.com/a.png' },
    },
  ]);
});

test('fields that are empty are not sent', async () => {
  expect((await run({})).seen[0]?.body).toEqual({ content: 'Hello ü' });
});

test('a refusal is told with the words of the service and without the address', async () => {
  const { result } = await run({}, { status: 400, body: { message: 'Cannot send an empty message' } });
  expect(result).toMatchObject({
    failure: { message: 'Discord rejected the request (status 400): Cannot send an empty message' },
  });
  expect(JSON.stringify(result)).not.toContain('canary');
});
