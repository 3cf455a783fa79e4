import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const publishEvent = defineNode({
  type: 'publishEvent',
  title: 'Publish Event',
  family: 'flow',
  summary: 'Publishes an event of your own that starts workflows with a Platform Event trigger.',
  icon: 'radio',
  params: z.object({
    eventName: field
      .template('Name', {
        placeholder: 'custom.order.paid',
        when_empty: 'Enter the name of the event, such as custom.order.paid',
      })
      .default(''),
    eventPayload: field
      .value('Payload', { kind: 'json', help: 'An object, such as {"order": "$input.id"}.' })
      .default('{}'),
  }),
  initial: { label: 'publishEvent', eventName: '', eventPayload: '{}' },
  output: z.object({ id: z.string(), name: z.string(), created_at: z.string() }),
  effect: 'idempotent',
});
