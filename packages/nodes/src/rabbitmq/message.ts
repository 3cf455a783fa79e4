import { isBlockedKey, type Json, type JsonObject } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { ConsumeMessage } from 'amqplib';
import { decodeBody } from '../kit/network/response-body.ts';

/** Largest message that starts a run; brokers accept none above it by default (RabbitMQ 4, `max_message_size`). */
export const MOST_BYTES = 16 * MEGABYTE;
const MOST_DEPTH = 20;

const bytesAsData = (bytes: Buffer, content_type: string): JsonObject => ({
  content_type,
  size: bytes.length,
  base64: bytes.toString('base64'),
});

const toIsoTime = (seconds: unknown): string | null => {
  const at = new Date(Number(seconds) * 1000);
  return typeof seconds === 'number' && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
};

/** A value of a header table (AMQP 0-9-1 section 4.2.5.5) as data: what JSON does not have becomes text. */
function headerValue(value: unknown, depth: number): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : headerObject(value, depth + 1);
    default:
      return null;
  }
}

function headerObject(value: object, depth: number): Json {
  if (depth > MOST_DEPTH) return null;
  if (Buffer.isBuffer(value)) return decodeBody(value, 'text/plain') ?? value.toString('base64');
  if (Array.isArray(value)) return value.map((item) => headerValue(item, depth));
  // The library's form of types that JavaScript does not have: `{'!': 'timestamp', value}`.
  const { '!': type, value: content } = value as { '!'?: unknown; value?: unknown };
  if (type === 'timestamp') return toIsoTime(content);
  if (type !== undefined) return headerValue(content, depth);
  return convertTable(value, depth);
}

function convertTable(table: object, depth = 0): JsonObject {
  const found: JsonObject = {};
  for (const [name, value] of Object.entries(table))
    if (!isBlockedKey(name)) found[name] = headerValue(value, depth);
  return found;
}

function decodeContent({ content, properties }: ConsumeMessage): Json {
  const type = String(properties.contentType ?? '');
  const encoding = String(properties.contentEncoding ?? '').toLowerCase();
  const isPlain = encoding === '' || encoding === 'identity' || encoding.startsWith('utf');
  return (isPlain ? decodeBody(content, type) : undefined) ?? bytesAsData(content, type);
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The data of a message that a run receives (§6.2): a body of JSON as its value, other text as text, bytes as base64. */
export function messageData(message: ConsumeMessage): JsonObject {
  const { fields, properties } = message;
  return {
    body: decodeContent(message),
    headers: convertTable(properties.headers ?? {}),
    message_id: textOrNull(properties.messageId),
    routing_key: fields.routingKey,
    exchange: fields.exchange,
    timestamp: toIsoTime(properties.timestamp),
    content_type: textOrNull(properties.contentType),
    correlation_id: textOrNull(properties.correlationId),
    reply_to: textOrNull(properties.replyTo),
    type: textOrNull(properties.type),
    app_id: textOrNull(properties.appId),
    priority: typeof properties.priority === 'number' ? properties.priority : null,
    redelivered: fields.redelivered,
  };
}
