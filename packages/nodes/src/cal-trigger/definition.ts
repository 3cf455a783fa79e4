import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { calTriggerCredential } from './credential.ts';

export const calTrigger = defineNode({
  type: 'calTrigger',
  title: 'Booking Trigger',
  family: 'trigger',
  summary: 'Starts the workflow when a meeting is booked, moved or cancelled.',
  search_words: ['cal.com trigger', 'calendar', 'appointment'],
  icon: [
    ['rect', { x: '3', y: '5', width: '18', height: '16', rx: '2' }],
    ['path', { d: 'M3 10h18M8 3v4M16 3v4M9 15l2 2 4-4' }],
  ],
  traits: { role: 'trigger', error_settings: false },
  credentials: [calTriggerCredential],
  params: z.object({
    credentialId: field
      .custom(z.string(), 'Webhook secret', {
        kind: 'credential',
        credential_types: ['cal_trigger'],
        help: 'Deliveries not signed with it are refused.',
      })
      .default(''),
    ...eventKeyFields('$input.trigger_event + input.payload.uid'),
  }),
  initial: { credentialId: '' },
  output: z.looseObject({
    event: z.json().optional(),
    triggerEvent: z.json().optional(),
    payload: z.json().optional(),
    triggered_at: z.string().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'webhook',
});
