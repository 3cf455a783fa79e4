import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';
import { slackCredential } from './credential.ts';

export const slack = defineNode({
  type: 'slack',
  title: 'Slack',
  family: 'integration',
  summary: 'Posts a message to a channel, with layout blocks or as a reply in a thread.',
  icon: 'hash',
  credentials: [slackCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['slack'],
        when_empty: 'Choose the webhook or the API token',
      })
      .default(''),
    channel: field
      .resource('Channel', {
        resource: { list: 'channels', depends_on: ['credentialId'] },
        help: 'Needed with an API token. A webhook always posts to its own channel.',
      })
      .default(''),
    message: field
      .template('Message', {
        kind: 'multiline',
        help: 'With blocks this is the text of the notification.',
      })
      .default('$input.text'),
    threadTs: field
      .template('Reply to', { help: 'The ts of the message to answer in its thread.' })
      .default(''),
    blocks: field
      .value('Blocks', { kind: 'json', help: 'A list of layout blocks, or what Block Kit Builder copies.' })
      .default('[]'),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'slack', message: '$input.text' },
  output: z.object({ status: z.int(), response: z.json() }),
  effect: (data) => (data['onUnknownOutcome'] === 'repeat' ? 'idempotent' : 'unsafe'),
});
