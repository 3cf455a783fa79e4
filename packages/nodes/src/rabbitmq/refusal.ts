import { setTimeout as pause } from 'node:timers/promises';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

/** The treatment of messages that can start no run. */
export type RefusalPolicy =
  | { readonly kind: 'park' }
  | { readonly kind: 'reject' }
  | { readonly kind: 'requeue'; readonly pause_ms: number };

interface Place {
  readonly connection: ChannelModel;
  readonly channel: Channel;
  readonly queue: string;
  /** Aborts when the channel is gone, and its messages with it. */
  readonly gone: AbortSignal;
}

const SUFFIX = '.parked';
/** Longest name of a queue: a short string of AMQP 0-9-1 section 4.2.5.3. */
const MOST_NAME_BYTES = 255;

const describeMessage = ({ properties }: ConsumeMessage): string =>
  typeof properties.messageId === 'string'
    ? `The message "${properties.messageId}"`
    : 'A message without an id';

/** Stored by the broker before the original is acknowledged, so that it is in one of the two queues at any time. */
async function park(
  { connection, queue }: Place,
  { content, properties }: ConsumeMessage,
  reason: string,
): Promise<string> {
  const target = `${queue}${SUFFIX}`;
  const channel = await connection.createConfirmChannel();
  // Passed to the pending command as well; without a listener it would end the process.
  channel.on('error', () => undefined);
  if (Buffer.byteLength(target) > MOST_NAME_BYTES)
    throw new Error(`the name ${target} is too long for a queue`);
  await channel.assertQueue(target, { durable: true });
  const { headers, ...kept } = properties;
  // The broker refuses a user id that is not the one of this connection.
  const { userId: _, clusterId: __, ...rest } = kept;
  const defined = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const options = { ...defined, persistent: true, headers: { ...headers, 'x-refused-because': reason } };
  channel.sendToQueue(target, content, options);
  await channel.waitForConfirms();
  await channel.close();
  return target;
}

/**
 * Keeps a message that can start no run from standing in the way of those behind it. Resolves to a sentence for the owner.
 * One that is put back is kept unacknowledged during the pause: the broker delivers it again if the process dies.
 */
export async function refuseMessage(
  place: Place,
  message: ConsumeMessage,
  { reason, policy }: { readonly reason: string; readonly policy: RefusalPolicy },
): Promise<string> {
  const { channel, gone } = place;
  const what = `${describeMessage(message)} was refused: ${reason}`;
  switch (policy.kind) {
    case 'park': {
      const target = await park(place, message, reason);
      channel.ack(message);
      return `${what}. It is in the queue ${target} now`;
    }
    case 'reject':
      channel.reject(message, false);
      return `${what}. It was rejected and is in the dead-letter exchange of the queue, if there is one`;
    case 'requeue': {
      const later = pause(policy.pause_ms, undefined, { signal: gone, ref: false });
      void later.then(
        () => channel.reject(message, true),
        () => undefined,
      );
      return `${what}. It is put back into the queue after ${policy.pause_ms / 1000} s`;
    }
    default:
      return policy satisfies never;
  }
}
