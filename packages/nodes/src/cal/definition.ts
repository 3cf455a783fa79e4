import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { calCredential } from './credential.ts';

const { params, effect } = defineOperations({
  key: 'calOperation',
  initial: 'listWebhooks',
  operations: {
    listWebhooks: { title: 'List webhooks', effect: 'read', fields: [] },
    createWebhook: { title: 'Create a webhook', effect: 'unsafe', fields: ['calWebhook'] },
    updateWebhook: {
      title: 'Change a webhook',
      effect: 'idempotent',
      fields: ['calWebhookId', 'calWebhook'],
    },
    deleteWebhook: { title: 'Delete a webhook', effect: 'idempotent', fields: ['calWebhookId'] },
  },
  fields: {
    calWebhookId: field
      .template('Webhook', { help: 'Its id.', when_empty: 'Enter the id of the webhook' })
      .default(''),
    calWebhook: field
      .value('Webhook settings', {
        kind: 'json',
        help: 'As JSON: subscriberUrl, triggers, active, secret, payloadTemplate.',
      })
      .default('{}'),
  },
});

export const cal = defineNode({
  type: 'cal',
  title: 'Booking Webhooks',
  family: 'integration',
  summary: 'Lists, creates, changes and deletes the webhooks of a booking calendar.',
  search_words: ['cal.com', 'calendar', 'appointment'],
  icon: [
    ['rect', { x: '3', y: '5', width: '18', height: '16', rx: '2' }],
    ['path', { d: 'M3 10h18M8 3v4M16 3v4' }],
  ],
  credentials: [calCredential],
  params: z.object({
    credentialId: field
      .custom(z.string(), 'Booking calendar', { kind: 'credential', credential_types: ['cal_api'] })
      .default(''),
    ...params,
  }),
  initial: { credentialId: '', calOperation: 'listWebhooks' },
  output: z.looseObject({ success: z.boolean(), operation: z.string() }),
  effect,
});
