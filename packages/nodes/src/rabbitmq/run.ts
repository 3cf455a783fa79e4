import { createHash } from 'node:crypto';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import { implement, type NodeCall } from '../implement.ts';
import { readCredential } from '../kit/integration/run-caller.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { testBroker, withBroker } from './broker.ts';
import { rabbitmqCredential } from './credential.ts';
import { rabbitmq } from './definition.ts';
import { buildOutgoing } from './outgoing.ts';
import { publish } from './publish.ts';

const RECEIVED = [
  'body',
  'headers',
  'message_id',
  'routing_key',
  'exchange',
  'timestamp',
  'message_data',
] as const;

/** The same for every repetition, so that a receiver recognises a message that was sent twice. */
const messageId = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);

type Call = NodeCall<Parameters<typeof buildOutgoing>[0] & { readonly credentialId: string }>;

async function send(call: Call): Promise<{ output: JsonObject }> {
  const outgoing = buildOutgoing(call.params, messageId(call.idempotency_key));
  const config = await readCredential(call, rabbitmqCredential);
  const { services, signal } = call;
  try {
    await withBroker({ http: services.http, signal }, config, ({ connection }) =>
      publish(connection, outgoing, services.now()),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = 'The run was cancelled while a message was being sent';
    throw new NodeFailure({ kind: 'cancelled', message }, { cause: error });
  }
  const { message_id, exchange, routing_key, delay_ms } = outgoing;
  return {
    output: {
      status: 'published',
      message_id,
      exchange: exchange === '' ? '(default)' : exchange,
      routing_key,
      delay_ms,
    },
  };
}

export const runRabbitmq = implement(
  rabbitmq,
  (call) =>
    call.params.rabbitmqOperation === 'receive'
      ? { output: triggerOutput(call.run_input, RECEIVED) }
      : send(call),
  { connections: { rabbitmq: ({ caller, config }) => testBroker(caller, config) } },
);
