import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';
import { discordCredential } from './credential.ts';

export const discord = defineNode({
  type: 'discord',
  title: 'Discord',
  family: 'integration',
  summary: 'Posts a message to a channel through its webhook.',
  icon: 'message-square',
  credentials: [discordCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['discord'],
        when_empty: 'Choose the webhook of the channel',
      })
      .default(''),
    message: field
      .template('Message', { kind: 'multiline', when_empty: 'Enter a message' })
      .default('$input.text'),
    username: field.template('Shown name', { help: 'In place of the name of the webhook.' }).default(''),
    avatarUrl: field.template('Shown picture', { help: 'Address of a picture.' }).default(''),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'discord', message: '$input.text' },
  output: z.object({
    status: z.int(),
    response: z.json(),
    message: z.string(),
    username: z.string(),
    avatar_url: z.string(),
  }),
  effect: (data) => (data['onUnknownOutcome'] === 'repeat' ? 'idempotent' : 'unsafe'),
});
