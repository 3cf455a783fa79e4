import { isJsonObject, type Json, NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement } from '../implement.ts';
import {
  buildConnection,
  type Caller,
  type Connection,
  callJson,
  type JsonAnswer,
} from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readJson } from '../kit/integration/object-input.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { slackCredential } from './credential.ts';
import { slack } from './definition.ts';

type Params = z.output<typeof slack.params>;

const TITLE = 'Slack';
const MOST_CHANNELS = 2_000;
/** https://docs.slack.dev/apis/web-api/: without the charset an answer carries a warning. */
const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

export const runSlack = implement(
  slack,
  async (call) => {
    const message = buildMessage(call.params);
    const config = await readCredential(call, slackCredential);
    const { status, body } = await send({ caller: createCaller(call), config }, call.params, message);
    return { output: { status, response: body } };
  },
  { choices: { channels } },
);

type Message = Readonly<Record<string, Json>>;

/** A token posts to any channel; the webhook is for credentials without one and for nodes that name no channel. */
function send(
  { caller, config }: { caller: Caller; config: CredentialConfig },
  { channel }: Params,
  message: Message,
): Promise<JsonAnswer> {
  const webhook_url = readConfigText(config, 'webhook_url');
  const hasToken = readConfigText(config, 'api_token') !== '';
  if (webhook_url !== '' && (!hasToken || channel.trim() === '')) {
    return post(caller, { title: TITLE, service: { base_url: webhook_url } }, { path: '', message });
  }
  if (channel.trim() === '') {
    throw refusedParam('channel', 'is empty; a message that is sent with an API token needs its channel');
  }
  const connection = buildConnection(TITLE, slackCredential, config);
  const addressed = { channel: channel.trim(), ...message };
  return post(caller, connection, { path: '/chat.postMessage', message: addressed });
}

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
 * https://docs.slack.dev/reference/methods/chat.postMessage
 */
function post(
  caller: Caller,
  connection: Connection,
  { path, message }: { path: string; message: Message },
): Promise<JsonAnswer> {
  return callJson(caller, connection, {
    method: 'POST',
    path,
    headers: HEADERS,
    body: message,
    effect: 'unsafe',
  });
}

function buildMessage(params: Params): Message {
  const text = params.message.trim() === '' ? '' : params.message;
  const blocks = readBlocks(params);
  if (text === '' && blocks.length === 0) throw refusedParam('message', 'is empty; enter a text or blocks');
  const thread_ts = params.threadTs.trim();
  return {
    ...(text === '' ? {} : { text }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(thread_ts === '' ? {} : { thread_ts }),
  };
}

function readBlocks(params: Params): Json[] {
  const value = readJson(params, 'blocks') ?? [];
  const blocks = isJsonObject(value) ? value['blocks'] : value;
  if (Array.isArray(blocks) && blocks.every(isJsonObject)) return blocks;
  throw refusedParam('blocks', 'must be a JSON list of blocks such as [{"type": "divider"}]');
}

/** Channels that the app can see. https://docs.slack.dev/reference/methods/conversations.list */
async function channels({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  if (readConfigText(config, 'api_token') === '') {
    throw new NodeFailure({
      kind: 'credential',
      message: 'This credential holds a webhook, which posts to its own channel; leave the channel empty',
      field: 'credentialId',
      final: true,
    });
  }
  const connection = buildConnection(TITLE, slackCredential, config);
  const found = await collect(async (cursor: string | undefined) => {
    const { body } = await callJson(caller, connection, {
      path: '/conversations.list',
      query: { types: 'public_channel,private_channel', exclude_archived: true, limit: 200, cursor },
      effect: 'read',
    });
    return { items: listIn(TITLE, body, 'channels'), next: nextCursor(body) };
  }, MOST_CHANNELS);
  return choicesFrom(found, request, (channel) =>
    isJsonObject(channel)
      ? {
          value: channel['id'],
          label: typeof channel['name'] === 'string' ? `#${channel['name']}` : undefined,
          hint: channel['is_private'] === true ? 'private' : '',
        }
      : {},
  );
}

/** https://docs.slack.dev/apis/web-api/pagination: empty behind the last page. */
function nextCursor(body: Json): string | undefined {
  const meta = isJsonObject(body) ? body['response_metadata'] : undefined;
  const cursor = isJsonObject(meta) ? meta['next_cursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
