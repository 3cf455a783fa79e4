import { defineNode, field, type JsonObject } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { eventKeyFields } from '../kit/triggers/event-key-fields.ts';
import { numeric } from '../kit/values/numeric.ts';
import { rabbitmqCredential } from './credential.ts';

const OPERATION = 'rabbitmqOperation';
const MOST_SECONDS = 24 * 60 * 60;

const { params, effect } = defineOperations({
  key: OPERATION,
  initial: 'send',
  operations: {
    send: {
      title: 'Send a message',
      effect: 'unsafe',
      fields: [
        'rabbitmqExchange',
        'rabbitmqRoutingKey',
        'rabbitmqMessageBody',
        'rabbitmqHeaders',
        'rabbitmqDelayMs',
      ],
    },
    receive: {
      title: 'Start the workflow with each message',
      effect: 'pure',
      fields: ['rabbitmqRefused', 'rabbitmqRefusedDelaySeconds', 'deduplicateBy', 'deduplicateMinutes'],
    },
  },
  fields: {
    rabbitmqQueueName: field
      .template('Queue', {
        placeholder: 'orders',
        help: 'Messages are read from this queue. Without an exchange they are sent to it.',
      })
      .default(''),
    rabbitmqExchange: field.template('Exchange', { help: 'Empty sends straight to the queue.' }).default(''),
    rabbitmqRoutingKey: field
      .template('Routing key', { help: 'Empty uses the name of the queue.' })
      .default(''),
    rabbitmqMessageBody: field
      .value('Message', { kind: 'json', help: 'Objects and lists are sent as JSON, text as text.' })
      .default('$input'),
    rabbitmqHeaders: field
      .value('Headers', { kind: 'json', placeholder: '{"priority": "high"}' })
      .default(''),
    rabbitmqDelayMs: field
      .value('Delay in milliseconds', {
        help: 'The message reaches its queue after this time. Empty: at once.',
      })
      .default(''),
    rabbitmqRefused: field
      .choice('Messages that can start no run', ['park', 'reject', 'requeue'], {
        choices: [
          { value: 'park', title: 'Move to the queue with the suffix .parked' },
          { value: 'reject', title: 'Reject (to the dead-letter exchange of the queue)' },
          { value: 'requeue', title: 'Put back after a pause' },
        ],
      })
      .default('park'),
    rabbitmqRefusedDelaySeconds: numeric('Pause in seconds', {
      min: 1,
      max: MOST_SECONDS,
      shown_when: [{ field: 'rabbitmqRefused', is: ['requeue'] }],
    }).default(30),
    ...eventKeyFields('$input.body.id'),
  },
});

const isReceiving = (data: JsonObject): boolean => data[OPERATION] === 'receive';

export const rabbitmq = defineNode({
  type: 'rabbitmq',
  title: 'RabbitMQ',
  family: 'integration',
  summary: 'Sends a message to a queue or an exchange, or starts the workflow with each message of a queue.',
  search_words: ['queue', 'amqp'],
  icon: [
    ['path', { d: 'M4 20V5h3v6h3V5h3v6h7v9z' }],
    ['path', { d: 'M15 15h2' }],
  ],
  credentials: [rabbitmqCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['rabbitmq'],
        when_empty: 'Choose the message queue server',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'rabbitmq', rabbitmqOperation: 'send', rabbitmqMessageBody: '$input' },
  output: z.looseObject({
    status: z.literal('published').optional(),
    message_id: z.string().nullish(),
    exchange: z.string().optional(),
    routing_key: z.string().optional(),
    delay_ms: z.int().optional(),
    body: z.json().optional(),
    headers: z.json().optional(),
    timestamp: z.string().nullish(),
    message_data: z.json().optional(),
  }),
  ports: (data) => ({ inputs: isReceiving(data) ? [] : ['input'], outputs: ['output'] }),
  receives: (data) => (isReceiving(data) ? 'connection' : null),
  effect,
});
