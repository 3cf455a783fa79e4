import { isJsonObject, type JsonObject } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { isSameHeader, jsonBody, readHeader, refuse, toCause } from '../kit/triggers/webhook-trigger.ts';
import { receive } from '../receive.ts';
import { telegramTrigger } from './definition.ts';

/** Parts of an update that hold a message. */
const MESSAGES = ['message', 'edited_message', 'channel_post', 'edited_channel_post'];

function messageIn(update: JsonObject): JsonObject {
  const callback = update['callback_query'];
  const found = [
    ...MESSAGES.map((name) => update[name]),
    isJsonObject(callback) ? callback['message'] : undefined,
  ];
  return found.find(isJsonObject) ?? {};
}

/** §5.7, §6.2. The platform repeats an update until it is answered with 2xx, under the same `update_id`. */
export const receiveTelegram = receive(telegramTrigger, {
  kind: 'webhook',
  source: 'telegram',
  causes_kept_days: 30,
  route: 'chatbot',
  async receive({ params, node_id, services }, request) {
    if (params.credentialId !== '') {
      const secret = readConfigText((await services.credential(params.credentialId)).values, 'secret_token');
      const given = readHeader(request, 'x-chatbot-api-secret-token', 'x-telegram-bot-api-secret-token');
      if (secret !== '' && !isSameHeader(given, secret))
        return refuse(403, 'The webhook secret is missing or wrong');
    }
    const update = jsonBody(request);
    if (!update) return refuse(400, 'Send the update as a JSON object');
    const callback_query = update['callback_query'];
    const input = {
      update,
      message: messageIn(update),
      ...(callback_query === undefined ? {} : { callback_query }),
      headers: request.safe_headers,
      triggered_by: 'telegram',
      trigger_node_id: node_id,
      triggered_at: new Date(services.now()).toISOString(),
    };
    return {
      answer: { status: 200, body: { ok: true } },
      event: { cause: toCause(update['update_id']), input },
    };
  },
});
