import { expect, test } from 'vitest';
import type { EgressRequest } from '../services.ts';
import { realEgress } from '../testing/real-egress.ts';
import { traceNode } from '../testing/run-node.ts';
import { type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

/** Strict about verb and path, as https://core.telegram.org/bots/api describes them; the host is replaced by this server. */
async function run(answers: ServerAnswer[], chatId = '-1001234567890123') {
  const server = await serveJson(({ method, path }) =>
    method === 'POST' && path === '/bot1%3Acanary/sendMessage'
      ? (answers.shift() ?? {})
      : { status: 404, body: { ok: false, description: 'Not Found' } },
  );
  const http = realEgress();
  const { result, trace } = await traceNode(
    'telegram',
    { credentialId: 'c', chatId },
    {
      inputs: { start: { text: 'Hello ü' } },
      services: {
        http: {
          ...http,
          request: (request: EgressRequest) =>
            http.request({ ...request, url: request.url.replace('https://api.telegram.org', server.url) }),
        },
        credential: (id) =>
          Promise.resolve({ id, name: 't', type: 'telegram', values: { bot_token: '1:canary' } }),
      },
    },
  );
  return { result, trace, seen: server.seen };
}

test('a message is sent and the stored message is the result', async () => {
  const { result, seen } = await run([{ body: { ok: true, result: { message_id: 5 } } }]);
  expect(result).toEqual({ output: { status: 200, ok: true, result: { message_id: 5 } } });
  expect(seen).toMatchObject([{ body: { chat_id: '-1001234567890123', text: 'Hello ü' } }]);
});

test('a refusal inside a good answer fails', async () => {
  const { result } = await run([{ body: { ok: false, description: 'chat not found' } }]);
  expect(result).toMatchObject({ failure: { message: expect.stringContaining('chat not found') } });
});

test('a limit is waited for', async () => {
  const { result, seen } = await run([
    { status: 429, headers: { 'retry-after': '4' }, body: { ok: false } },
    { body: { ok: true, result: {} } },
  ]);
  expect(result).toMatchObject({ output: { ok: true } });
  expect(seen).toHaveLength(2);
});

test('a refused token is a problem of the credential, told without the token', async () => {
  const { result } = await run([{ status: 401, body: { ok: false, description: 'Unauthorized' } }]);
  expect(result).toMatchObject({ failure: { kind: 'credential', final: true } });
  expect(JSON.stringify(result)).not.toContain('canary');
});
