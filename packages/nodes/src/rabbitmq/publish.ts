import { createHash } from 'node:crypto';
import { NodeFailure } from '@millrace/engine';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import type { Outgoing } from './outgoing.ts';

/** How long a queue for delayed messages is kept after its last use. */
const KEPT_MS = 10 * 60_000;

const describeUnroutable = ({ exchange, routing_key }: Outgoing): string =>
  exchange === ''
    ? `There is no queue "${routing_key}"`
    : `No queue is bound to the exchange "${exchange}" for the routing key "${routing_key}"`;

/**
 * Queue from which messages go to their target when their time is over, declared anew before each use. It works with every
 * broker and every type of exchange: the plug-in for delayed exchanges is not needed.
 */
async function delayQueue(channel: ConfirmChannel, outgoing: Outgoing): Promise<string> {
  const { exchange, routing_key, delay_ms } = outgoing;
  const target = createHash('sha256').update(`${exchange}\0${routing_key}`).digest('hex').slice(0, 16);
  const name = `millrace.delay.${target}.${delay_ms}`;
  await channel.assertQueue(name, {
    durable: true,
    deadLetterExchange: exchange,
    deadLetterRoutingKey: routing_key,
    messageTtl: delay_ms,
    expires: delay_ms + KEPT_MS,
  });
  return name;
}

/** Resolves once the broker has taken the message over (publisher confirms), and rejects when no queue has it. */
export async function publish(connection: ChannelModel, outgoing: Outgoing, now_ms: number): Promise<void> {
  const { exchange, routing_key, delay_ms, content, content_type, headers, message_id } = outgoing;
  const channel = await connection.createConfirmChannel();
  let failure: Error | undefined;
  channel.on('error', (error) => (failure = error));
  let isReturned = false;
  // Comes before the confirmation.
  channel.on('return', () => (isReturned = true));
  const options = {
    messageId: message_id,
    contentType: content_type,
    headers,
    persistent: true,
    mandatory: true,
    timestamp: Math.floor(now_ms / 1000),
  };
  if (delay_ms === 0) {
    channel.publish(exchange, routing_key, content, options);
  } else {
    // After the delay the broker drops without a word what has no target.
    if (exchange === '') await channel.checkQueue(routing_key);
    else await channel.checkExchange(exchange);
    channel.publish('', await delayQueue(channel, outgoing), content, options);
  }
  try {
    await channel.waitForConfirms();
  } catch (error) {
    if (failure) throw failure;
    const message = 'The message queue server could not store the message';
    throw new NodeFailure({ kind: 'upstream', message }, { cause: error });
  }
  if (isReturned) throw new NodeFailure({ kind: 'upstream', message: describeUnroutable(outgoing) });
  await channel.close();
}
