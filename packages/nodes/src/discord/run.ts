import { implement } from '../implement.ts';
import { buildConnection, callJson } from '../kit/integration/call-json.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { discordCredential } from './credential.ts';
import { discord } from './definition.ts';

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const runDiscord = implement(discord, async (call) => {
  const { params } = call;
  const message = requiredText(params, 'message');
  const connection = buildConnection(
    'Discord',
    discordCredential,
    await readCredential(call, discordCredential),
  );
  const { status, body } = await callJson(createCaller(call), connection, {
    method: 'POST',
    path: '',
    // With it the answer is the message and not empty.
    query: { wait: true },
    body: {
      content: message,
      ...(params.username === '' ? {} : { username: params.username }),
      ...(params.avatarUrl === '' ? {} : { avatar_url: params.avatarUrl }),
    },
    effect: 'unsafe',
  });
  const { username, avatarUrl: avatar_url } = params;
  return { output: { status, response: body, message, username, avatar_url } };
});
