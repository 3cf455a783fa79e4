import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';

export const websocketSend = defineNode({
  type: 'websocketSend',
  title: 'WebSocket Send',
  family: 'network',
  summary: 'Connects to a WebSocket server, sends one message and closes the connection.',
  icon: 'send',
  params: z.object({
    websocketUrl: field
      .template('Address', { when_empty: 'Enter the address', placeholder: 'wss://example.com/events' })
      .default(''),
    websocketHeaders: field
      .value('Headers', { kind: 'json', placeholder: '{"X-Client": "orders"}' })
      .default(''),
    websocketSubprotocols: field
      .template('Subprotocols', { help: 'Names separated by commas.', placeholder: 'graphql-transport-ws' })
      .default(''),
    websocketMessage: field
      .template('Message', { kind: 'multiline', when_empty: 'Enter a message' })
      .default('$input'),
    websocketMessageType: field
      .choice('Send as', ['text', 'binary'], {
        choices: [
          { value: 'text', title: 'Text' },
          { value: 'binary', title: 'Bytes (the message is base64)' },
        ],
      })
      .default('text'),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'websocketSend', websocketUrl: '', websocketMessage: '$input' },
  output: z.object({
    status: z.literal('sent'),
    url: z.string(),
    message_type: z.enum(['text', 'json', 'binary']),
    size_bytes: z.int(),
    subprotocol: z.string().nullable(),
    sent_at: z.string(),
  }),
  effect: (data) => (data['onUnknownOutcome'] === 'repeat' ? 'idempotent' : 'unsafe'),
});
