import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { numeric } from '../kit/values/numeric.ts';

const MOST_SECONDS = 60 * 60;
export const EVENTS = ['onMessage', 'onConnected', 'onClosed'] as const;

export const websocketTrigger = defineNode({
  type: 'websocketTrigger',
  title: 'WebSocket',
  family: 'trigger',
  summary: 'Keeps a connection to a WebSocket server and starts the workflow with its messages.',
  icon: 'radio',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    websocketUrl: field.text('Address', { placeholder: 'wss://example.com/events' }).default(''),
    credentialId: field
      .custom(z.string(), 'Credential', {
        kind: 'credential',
        credential_types: ['bearer', 'header', 'basic_auth'],
        help: 'Sent with the handshake. Empty: none.',
      })
      .default(''),
    websocketHeaders: field
      .custom(z.union([z.string(), z.record(z.string(), z.json())]), 'Headers', {
        kind: 'json',
        placeholder: '{"X-Client": "orders"}',
      })
      .default(''),
    websocketSubprotocols: field
      .text('Subprotocols', { help: 'Names separated by commas.', placeholder: 'graphql-transport-ws' })
      .default(''),
    websocketTriggerEvents: field
      .custom(z.array(z.enum(EVENTS)).min(1, { error: 'Choose at least one event' }), 'Starts a run', {
        kind: 'choices',
        choices: [
          { value: 'onMessage', title: 'With each message' },
          { value: 'onConnected', title: 'When connected' },
          { value: 'onClosed', title: 'When the connection has ended' },
        ],
      })
      .default(['onMessage']),
    retryEnabled: field.boolean('Connect again').default(true),
    retryWaitSeconds: numeric('Seconds before it connects again', {
      min: 1,
      max: MOST_SECONDS,
      shown_when: [{ field: 'retryEnabled', is: [true] }],
      help: 'At least; more when it fails again and again.',
    }).default(5),
    ...eventKeyFields('$input.message.data.id'),
  }),
  initial: {
    websocketUrl: '',
    websocketTriggerEvents: ['onMessage'],
    retryEnabled: true,
    retryWaitSeconds: 5,
  },
  output: z.looseObject({
    eventName: z.enum(EVENTS).optional(),
    url: z.string().optional(),
    triggered_at: z.string().optional(),
    message: z.json().optional(),
    connection: z.json().optional(),
    close: z.json().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'connection',
});
