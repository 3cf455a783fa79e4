import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { discordTriggerCredential } from './credential.ts';

export const discordTrigger = defineNode({
  type: 'discordTrigger',
  title: 'Interactions Trigger',
  family: 'trigger',
  summary: 'Starts the workflow with every command and click of an interactions platform.',
  search_words: ['discord trigger', 'slash command'],
  icon: 'message-square',
  traits: { role: 'trigger', error_settings: false },
  credentials: [discordTriggerCredential],
  params: z.object({
    credentialId: field
      .custom(z.string(), 'Public key', {
        kind: 'credential',
        credential_types: ['discord_trigger'],
        help: 'Deliveries not signed with its private key are refused.',
      })
      .default(''),
    ...eventKeyFields('$input.data.custom_id'),
  }),
  initial: { credentialId: '' },
  output: z.looseObject({
    interaction: z.json().optional(),
    type: z.json().optional(),
    data: z.json().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'webhook',
});
