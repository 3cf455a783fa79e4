import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { egressTo } from '../testing/real-egress.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { runAtService } from '../testing/servers/test-service.ts';

const WEBHOOK = '/services/T0001/B0001/canary';
const SENT = { ok: true, channel: 'C1', ts: '1503435956.000247', message: { text: 'Hello ü' } };

const channel = (n: number) => ({ id: `C${n}`, name: `team-${n}`, is_private: n % 2 === 1 });

/**
 * Strict about verbs, the token and the kind of body, as https://docs.slack.dev/apis/web-api/,
 * https://docs.slack.dev/reference/methods/chat.postMessage and
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks describe them.
 */
function slackApi({ method, path, query, headers, body }: SeenRequest): ServerAnswer {
  const isJson = headers['content-type'] === 'application/json; charset=utf-8';
  if (path === WEBHOOK) {
    if (method !== 'POST' || headers['authorization'] !== undefined) return { status: 403 };
    if (!isJson) return { status: 400, headers: { 'content-type': 'text/html' }, body: 'invalid_payload' };
    return { headers: { 'content-type': 'text/html' }, body: 'ok' };
  }
  if (headers['authorization'] !== 'Bearer xoxb-canary')
    return { body: { ok: false, error: 'invalid_auth' } };
  switch (`${method} ${path}`) {
    case 'POST /api/chat.postMessage': {
      const { channel: to } = body as { channel?: string };
      if (!isJson) return { body: { ok: false, error: 'invalid_post_type' } };
      return { body: to === 'C1' ? SENT : { ok: false, error: 'channel_not_found' } };
    }
    case 'GET /api/conversations.list': {
      if (query['limit'] !== '200' || query['exclude_archived'] !== 'true') return { status: 400 };
      const isSecond = query['cursor'] === 'dGVhbTpDMQ==';
      return {
        body: {
          ok: true,
          channels: isSecond ? [channel(3)] : [channel(1), channel(2)],
          response_metadata: { next_cursor: isSecond ? '' : 'dGVhbTpDMQ==' },
        },
      };
    }
    default:
      return { status: 404, body: { ok: false, error: 'unknown_method' } };
  }
}

interface Keys {
  readonly webhook?: boolean;
  readonly token?: string;
}

const SLACK = { node: 'slack', credential: 'slack', api: slackApi, address: 'https://slack.com' };

const run = (data: JsonObject, keys: Keys, answers: ServerAnswer[] = []) =>
  runAtService(SLACK, data, {
    values: (url) => ({
      ...(keys.webhook ? { webhook_url: `${url}${WEBHOOK}` } : {}),
      ...(keys.token === undefined ? {} : { api_token: keys.token }),
    }),
    answers,
    inputs: { start: { text: 'Hello ü' } },
  });

const TOKEN = { token: 'xoxb-canary' };

test('a webhook posts the text of an export and answers with its word', async () => {
  const { result, seen } = await run({ message: '$input.text' }, { webhook: true });
  expect(result).toEqual({ output: { status: 200, response: 'ok' } });
  expect(seen.map(({ path, body }) => [path, body])).toEqual([[WEBHOOK, { text: 'Hello ü' }]]);
});

test('a token posts to the channel, and the stored message is the response', async () => {
  const { result, seen } = await run({ channel: 'C1' }, TOKEN);
  expect(result).toEqual({ output: { status: 200, response: SENT } });
  expect(seen.map(({ body }) => body)).toEqual([{ channel: 'C1', text: 'Hello ü' }]);
});

test.each<[string, JsonObject, string]>([
  ['the token when a channel is set', { channel: 'C1' }, '/api/chat.postMessage'],
  ['the webhook when it is not', {}, WEBHOOK],
])('a credential with both uses %s', async (_, data, path) => {
  const { seen } = await run(data, { webhook: true, ...TOKEN });
  expect(seen.map((request) => request.path)).toEqual([path]);
});

test.each<[string, JsonObject]>([
  ['a list', { blocks: '[{"type": "divider"}]' }],
  ['what Block Kit Builder copies', { blocks: '{"blocks": [{"type": "divider"}]}' }],
  ['a list out of an expression', { blocks: '$start.blocks' }],
])('blocks are %s, sent with the thread as text that keeps its digits', async (_, data) => {
  const { seen } = await runAtService(
    SLACK,
    { channel: 'C1', threadTs: '$start.ts', ...data },
    {
      values: { api_token: 'xoxb-canary' },
      inputs: { start: { text: 'x', ts: '1503435956.000240', blocks: [{ type: 'divider' }] } },
    },
  );
  expect(seen[0]?.body).toEqual({
    channel: 'C1',
    text: 'x',
    blocks: [{ type: 'divider' }],
    thread_ts: '1503435956.000240',
  });
});

test.each<[JsonObject, string]>([
  [{ message: ' ' }, 'message'],
  [{ blocks: '[1]' }, 'blocks'],
  [{ blocks: '{' }, 'blocks'],
  [{}, 'channel'],
])('%o fails before anything is sent, and names %s', async (data, field) => {
  const { result, seen } = await run(data, TOKEN);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test('a refusal inside a good answer is told with the word of the service', async () => {
  const { result } = await run({ channel: 'C404' }, TOKEN);
  expect(result).toMatchObject({ failure: { message: expect.stringContaining('channel_not_found') } });
});

test('a refusal of a webhook is told with its word and without the address', async () => {
  const refusal = { status: 404, headers: { 'content-type': 'text/html' }, body: 'no_service' };
  const { result } = await run({}, { webhook: true }, [refusal]);
  expect(result).toMatchObject({ failure: { message: expect.stringContaining('no_service') } });
  expect(JSON.stringify(result)).not.toContain('canary');
});

// https://docs.slack.dev/apis/web-api/rate-limits
test('a limit is waited for as long as the service says', async () => {
  const limited = { status: 429, headers: { 'retry-after': '4' }, body: { ok: false, error: 'ratelimited' } };
  const { result, trace, seen } = await run({ channel: 'C1' }, TOKEN, [limited]);
  expect(result).toMatchObject({ output: { status: 200 } });
  expect(trace.slept_until).toHaveLength(1);
  expect(seen).toHaveLength(2);
});

test('an error of the server is no reason to post twice', async () => {
  const { result, seen } = await run({ channel: 'C1' }, TOKEN, [{ status: 502, body: '' }]);
  expect(result).toMatchObject({ failure: { kind: 'upstream' } });
  expect(seen).toHaveLength(1);
});

const choose = async (config: JsonObject, search = '') => {
  const server = await serveJson(slackApi);
  const context = choiceContext(egressTo(SLACK.address, server.url), config);
  const { choices } = implementations.get('slack') ?? {};
  return choices?.['channels']?.(context, { params: {}, search, cursor: null });
};

test('channels of every page can be chosen and searched', async () => {
  expect((await choose({ api_token: 'xoxb-canary' }))?.items).toEqual([
    { value: 'C1', label: '#team-1', hint: 'private' },
    { value: 'C2', label: '#team-2' },
    { value: 'C3', label: '#team-3', hint: 'private' },
  ]);
  expect((await choose({ api_token: 'xoxb-canary' }, 'team-2'))?.items).toHaveLength(1);
});

test('a webhook has no channels to choose, which is said', async () => {
  await expect(choose({ webhook_url: 'https://hooks.slack.com/x' })).rejects.toMatchObject({
    failure: { kind: 'credential', message: expect.stringContaining('leave the channel empty') },
  });
});
