import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';
import { telegramCredential } from './credential.ts';

export const telegram = defineNode({
  type: 'telegram',
  title: 'Telegram',
  family: 'integration',
  summary: 'Sends a message from a bot to a chat.',
  icon: 'send',
  credentials: [telegramCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['telegram'],
        when_empty: 'Choose the bot that sends the message',
      })
      .default(''),
    chatId: field
      .template('Chat', {
        when_empty: 'Enter the id of the chat',
        help: 'A number, or @name of a public channel.',
      })
      .default(''),
    message: field
      .template('Message', { kind: 'multiline', when_empty: 'Enter a message' })
      .default('$input.text'),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'telegram', chatId: '', message: '$input.text' },
  output: z.object({ status: z.int(), ok: z.boolean(), result: z.json() }),
  effect: (data) => (data['onUnknownOutcome'] === 'repeat' ? 'idempotent' : 'unsafe'),
});
