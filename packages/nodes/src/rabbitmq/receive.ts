import { isLasting, NodeFailure } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type ConnectionCall, NothingStored, receive } from '../receive.ts';
import { type BrokerSession, brokerName, withBroker } from './broker.ts';
import { rabbitmqCredential } from './credential.ts';
import { rabbitmq } from './definition.ts';
import { computeFingerprint, readMessageId, Unnamed } from './identity.ts';
import { MOST_BYTES, messageData } from './message.ts';
import { type RefusalPolicy, refuseMessage } from './refusal.ts';

/** Messages that the broker sends ahead: they wait in memory until the run of the one before is stored. */
const MOST_AHEAD = 20;
const RETRY_MS = 1_000;
/** Attempts to store a run before its message is refused, if other messages can be stored. */
const MOST_FAILURES = 5;
const NOT_FOUND = 404;
const CHANNEL_CLOSED = 'the channel was closed';

type Call = Pick<
  ConnectionCall<unknown>,
  'signal' | 'fire' | 'refused' | 'connected' | 'most_waiting' | 'node_id' | 'cursor' | 'keepCursor'
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

function buildInput(call: Call, message: ConsumeMessage) {
  const message_data = messageData(message);
  // Exports read the fields at the top level, the specification in a group.
  return { ...message_data, message_data, triggered_by: 'rabbitmq', trigger_node_id: call.node_id };
}

/** Why the message can start no run; undefined when it may. */
function describeRefusal({ content }: ConsumeMessage): string | undefined {
  return content.length > MOST_BYTES
    ? `it has ${content.length} bytes; a message that starts a run has ${MOST_BYTES} at most`
    : undefined;
}

type Fired = 'stored' | 'lost' | { readonly refused: string } | { readonly failed: unknown };

interface Reading {
  readonly source: Source;
  readonly unnamed: Unnamed;
  readonly stopping: AbortSignal;
}

/** Failures by message fingerprint. */
const failures = new Map<string, number>();
/** Maximum number of counted messages; beyond it the oldest count is dropped. */
const MOST_COUNTED = 10_000;

/** @returns whether it has failed so often that the message itself must be the cause */
function isPoison(key: string): boolean {
  const count = (failures.get(key) ?? 0) + 1;
  failures.delete(key);
  if (count >= MOST_FAILURES) return true;
  failures.set(key, count);
  const [oldest] = failures.keys();
  if (failures.size > MOST_COUNTED && oldest !== undefined) failures.delete(oldest);
  return false;
}

/** A message that was delivered before starts no second run. */
async function fireMessage(
  call: Call,
  { source, unnamed, stopping }: Reading,
  message: ConsumeMessage,
): Promise<Fired> {
  const reason = describeRefusal(message);
  if (reason !== undefined) return { refused: reason };
  const id = readMessageId(message);
  const event = id === undefined ? unnamed.identify(message, source.name) : { cause: `${source.name}:${id}` };
  const key = `${call.node_id} ${source.name} ${id ?? computeFingerprint(message)}`;
  try {
    const { kind } = await call.fire({ ...event, input: buildInput(call, message) }, stopping);
    failures.delete(key);
    return kind === 'lost' ? 'lost' : 'stored';
  } catch (error) {
    const isFinal = error instanceof NodeFailure && isLasting(error);
    if (isFinal) return { refused: error.message };
    if (error instanceof NothingStored || stopping.aborted || !isPoison(key)) return { failed: error };
    return { refused: `its run could not be stored in ${MOST_FAILURES} attempts` };
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
  const ahead = Math.min(MOST_AHEAD, call.most_waiting);
  await channel.prefetch(ahead);
  const reading: Reading = { source, unnamed: new Unnamed(call.cursor), stopping };
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
    const fired = await fireMessage(call, reading, message);
    // The broker has taken its messages back and delivers them again.
    if (gone.aborted) throw ended.aborted ? (ended.reason as Error) : new Error(CHANNEL_CLOSED);
    if (fired === 'lost') break;
    if (fired === 'stored') {
      channel.ack(message);
      if (readMessageId(message) === undefined) {
        // Commands of a channel are handled in their order, so the answer to this one confirms the acknowledgement.
        await channel.prefetch(ahead);
        reading.unnamed.confirm();
        call.keepCursor(null);
      }
      continue;
    }
    if ('failed' in fired) return call.signal.aborted ? undefined : fired;
    const { policy, queue } = source;
    call.refused(
      await refuseMessage({ connection, channel, queue, gone }, message, { reason: fired.refused, policy }),
    );
  }
  // A message that is not acknowledged goes back to the queue with the channel, for the next reader.
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
