import { isJsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { buildConnection, callJson } from '../kit/integration/call-json.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { telegramCredential } from './credential.ts';
import { telegram } from './definition.ts';

/** https://core.telegram.org/bots/api#sendmessage */
export const runTelegram = implement(telegram, async (call) => {
  const chat_id = requiredText(call.params, 'chatId');
  const text = requiredText(call.params, 'message');
  const connection = buildConnection(
    'Telegram',
    telegramCredential,
    await readCredential(call, telegramCredential),
  );
  const { status, body } = await callJson(createCaller(call), connection, {
    method: 'POST',
    path: '/sendMessage',
    body: { chat_id, text },
    effect: 'unsafe',
  });
  return { output: { status, ok: true, result: isJsonObject(body) ? (body['result'] ?? null) : body } };
});
