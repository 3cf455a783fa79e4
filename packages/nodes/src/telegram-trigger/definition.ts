import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';

export const telegramTrigger = defineNode({
  type: 'telegramTrigger',
  title: 'Chatbot Trigger',
  family: 'trigger',
  summary: 'Starts the workflow with every update that a chatbot platform delivers.',
  search_words: ['telegram trigger', 'bot message'],
  icon: 'message-square',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    credentialId: field
      .custom(z.string(), 'Credential', {
        kind: 'credential',
        credential_types: ['telegram'],
        help: 'If it has a webhook secret, every delivery must include it.',
      })
      .default(''),
    ...eventKeyFields('$input.message.chat.id'),
  }),
  initial: { credentialId: '' },
  output: z.looseObject({ update: z.json().optional(), message: z.json().optional() }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'webhook',
});
