import { createHash, randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { ConsumeMessage } from 'amqplib';

/** The last message without an id that started a run, until the broker confirms its acknowledgement. */
interface Unconfirmed extends JsonObject {
  print: string;
  cause: string;
}

/** Message id set by the sender, if any. */
export function readMessageId({ properties }: ConsumeMessage): string | undefined {
  const id = properties.messageId as unknown;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Messages with the same fingerprint have equal content, properties and routing. */
export function computeFingerprint({ content, fields, properties }: ConsumeMessage): string {
  const { exchange, routingKey } = fields;
  const { headers, ...others } = properties;
  // Quorum queues count deliveries in a header.
  const { 'x-delivery-count': _, ...given } = headers ?? {};
  const described = JSON.stringify([exchange, routingKey, others, given]);
  return createHash('sha256').update(described).update('\n').update(content).digest('base64url');
}

function readUnconfirmed(cursor: Json): Unconfirmed | undefined {
  const stored = isJsonObject(cursor) ? cursor['unconfirmed'] : undefined;
  if (!isJsonObject(stored)) return undefined;
  const { print, cause } = stored;
  return typeof print === 'string' && typeof cause === 'string' ? { print, cause } : undefined;
}

/**
 * Recognises the redelivery of a message without an id. Messages are handled one by one, and each acknowledgement is confirmed
 * before the next run is stored, so that one message at most can come again after its run was stored: the last one.
 */
export class Unnamed {
  #unconfirmed: Unconfirmed | undefined;

  constructor(cursor: Json) {
    this.#unconfirmed = readUnconfirmed(cursor);
  }

  /** The fingerprint of the message, and the cursor that is stored with its run. */
  identify(message: ConsumeMessage, name: string): { cause: string; cursor: JsonObject } {
    const print = computeFingerprint(message);
    const before = this.#unconfirmed;
    const isAgain = message.fields.redelivered && before?.print === print;
    const cause = isAgain ? before.cause : `${name}#${randomUUID()}`;
    this.#unconfirmed = { print, cause };
    return { cause, cursor: { unconfirmed: this.#unconfirmed } };
  }

  /** The broker has confirmed all acknowledgements so far. */
  confirm(): void {
    this.#unconfirmed = undefined;
  }
}
