import { NodeFailure } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { Channel, ConsumeMessage } from 'amqplib';
import { causeOf } from '../kit/webhook-trigger.ts';
import { type ConnectionCall, receive } from '../receive.ts';
import { type BrokerSession, brokerName, withBroker } from './broker.ts';
import { rabbitmqCredential } from './credential.ts';
import { rabbitmq } from './definition.ts';
import { MOST_BYTES, messageData } from './message.ts';
import { type RefusalPolicy, refuseMessage } from './refusal.ts';

/** Messages that the broker sends ahead: they wait in memory until the run of the one before is stored. */
const MOST_AHEAD = 20;
const RETRY_MS = 1_000;
const NOT_FOUND = 404;
const CHANNEL_CLOSED = 'the channel was closed';

type Call = Pick<
  ConnectionCall<unknown>,
  'signal' | 'fire' | 'refused' | 'connected' | 'most_waiting' | 'node_id'
>;

interface Source {
  /** Name that the queue has on no other broker. */
  readonly name: string;
  readonly queue: string;
  readonly policy: RefusalPolicy;
}

/** A channel for commands that may be refused: a refusal closes the channel and nothing else. */
async function attempt<T>({ connection }: BrokerSession, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await connection.createChannel();
  // Passed to the pending command as well; without a listener it would end the process.
  channel.on('error', () => undefined);
  const result = await work(channel);
  await channel.close();
  return result;
}

/** An existing queue keeps its settings. A missing one is declared as durable. */
async function requireQueue(session: BrokerSession, queue: string): Promise<void> {
  try {
    await attempt(session, (channel) => channel.checkQueue(queue));
  } catch (error) {
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
    await attempt(session, (channel) => channel.assertQueue(queue, { durable: true }));
  }
}

/** Messages in the order of their delivery; ends with the signal. */
class Deliveries {
  readonly #signal: AbortSignal;
  readonly #waiting: ConsumeMessage[] = [];
  #wake: (() => void) | undefined;
  #failure: Error | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  add(message: ConsumeMessage): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  /** Undefined once the signal has aborted. Rejects when there will be no more. */
  async next(): Promise<ConsumeMessage | undefined> {
    while (!this.#signal.aborted) {
      if (this.#failure) throw this.#failure;
      const message = this.#waiting.shift();
      if (message) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }
}

function inputOf(call: Call, message: ConsumeMessage) {
  const message_data = messageData(message);
  // Exports read the fields at the top level, the specification in a group.
  return { ...message_data, message_data, triggered_by: 'rabbitmq', trigger_node_id: call.node_id };
}

/** Why the message can start no run; undefined when it may. */
function refusalOf({ content }: ConsumeMessage): string | undefined {
  return content.length > MOST_BYTES
    ? `it has ${content.length} bytes; a message that starts a run has ${MOST_BYTES} at most`
    : undefined;
}

type Fired = 'stored' | 'lost' | { readonly refused: string } | { readonly failed: unknown };

/** A message that was delivered before is told by its id: it starts no second run. */
async function fireMessage(
  call: Call,
  { source, stopping }: { source: Source; stopping: AbortSignal },
  message: ConsumeMessage,
): Promise<Fired> {
  const reason = refusalOf(message);
  if (reason !== undefined) return { refused: reason };
  const id = message.properties.messageId as unknown;
  const cause = causeOf(typeof id === 'string' && id !== '' ? `${source.name}:${id}` : undefined);
  try {
    const { kind } = await call.fire({ cause, input: inputOf(call, message) }, stopping);
    return kind === 'lost' ? 'lost' : 'stored';
  } catch (error) {
    const isFinal = error instanceof NodeFailure && error.failure.final === true;
    return isFinal ? { refused: error.message } : { failed: error };
  }
}

/** Resolves to what kept a run from being stored, which is no failure of the broker. */
async function readQueue(
  call: Call,
  session: BrokerSession,
  source: Source,
): Promise<{ readonly failed: unknown } | undefined> {
  const { connection, ended } = session;
  await requireQueue(session, source.queue);
  const channel = await connection.createChannel();
  const closing = new AbortController();
  const gone = AbortSignal.any([ended, closing.signal]);
  const stopping = AbortSignal.any([call.signal, gone]);
  const deliveries = new Deliveries(call.signal);
  // A channel that the broker closes takes its messages back; the error comes before the close.
  channel.on('error', (error) => deliveries.fail(error));
  channel.on('close', () => {
    closing.abort();
    deliveries.fail(new Error(CHANNEL_CLOSED));
  });
  await channel.prefetch(Math.min(MOST_AHEAD, call.most_waiting));
  const { consumerTag } = await channel.consume(source.queue, (message) => {
    if (message) deliveries.add(message);
    else
      deliveries.fail(
        new NodeFailure({ kind: 'upstream', message: `The queue "${source.queue}" was deleted` }),
      );
  });
  call.connected();
  for (;;) {
    const message = await deliveries.next();
    if (!message) break;
    const fired = await fireMessage(call, { source, stopping }, message);
    // The broker has taken its messages back and delivers them again.
    if (gone.aborted) throw ended.aborted ? (ended.reason as Error) : new Error(CHANNEL_CLOSED);
    if (fired === 'lost') break;
    if (fired === 'stored') {
      channel.ack(message);
      continue;
    }
    if ('failed' in fired) return call.signal.aborted ? undefined : fired;
    const { policy, queue } = source;
    call.refused(
      await refuseMessage({ connection, channel, queue, gone }, message, { reason: fired.refused, policy }),
    );
  }
  // What is not acknowledged goes back to the queue with the channel, for the next reader.
  await channel.cancel(consumerTag);
  await channel.close();
  return undefined;
}

function requireName(text: string): string {
  const name = text.trim();
  if (name !== '') return name;
  throw new NodeFailure({
    kind: 'params',
    field: 'rabbitmqQueueName',
    message: 'Queue (rabbitmqQueueName): is empty; enter the name of the queue that is read',
    final: true,
  });
}

/** §6.2. One consumer in the whole cluster for each node; the broker keeps a message until its run is durable. */
export const receiveRabbitmq = receive(rabbitmq, {
  kind: 'connection',
  // §6.3: unset.
  source: null,
  causes_kept_days: 30,
  retry_ms: () => RETRY_MS,
  async connect(call) {
    const { params, services, signal } = call;
    const queue = requireName(params.rabbitmqQueueName);
    const { type, values } = await services.credential(params.credentialId);
    if (type !== rabbitmqCredential.type)
      throw new NodeFailure({
        kind: 'credential',
        field: 'credentialId',
        message: `The credential is of type ${type}; choose one of type ${rabbitmqCredential.type}`,
        final: true,
      });
    const config = values as CredentialConfig;
    const { rabbitmqRefused: kind, rabbitmqRefusedDelaySeconds } = params;
    const policy: RefusalPolicy =
      kind === 'requeue' ? { kind, pause_ms: rabbitmqRefusedDelaySeconds * 1000 } : { kind };
    const source = { name: `${brokerName(config)}/${queue}`, queue, policy };
    const end = await withBroker({ http: services.http, signal }, config, (session) =>
      readQueue(call, session, source),
    );
    if (end) throw end.failed;
  },
});
