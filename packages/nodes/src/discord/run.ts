import { implement } from '../implement.ts';
import { callJson, connectionOf } from '../kit/integration/call-json.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { callerOf, credentialOf } from '../kit/integration/run-caller.ts';
import { discordCredential } from './credential.ts';
import { discord } from './definition.ts';

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const runDiscord = implement(discord, async (call) => {
  const { params } = call;
  const message = requiredText(params, 'message');
  const connection = connectionOf('Discord', discordCredential, await credentialOf(call, discordCredential));
  const { status, body } = await callJson(callerOf(call), connection, {
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
