import { isJsonObject, type Json, type JsonObject, parseExactJson } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { refusedParam } from '../kit/refused-param.ts';
import { parseNumber } from '../kit/values/numeric.ts';

/** Longest delay: the time to live of a queue is milliseconds in 32 bits. */
const MOST_DELAY_MS = 30 * DAY_MS;
/** Longest routing key or name: a short string of AMQP 0-9-1 section 4.2.5.3. */
const MOST_NAME_BYTES = 255;

export interface Outgoing {
  readonly message_id: string;
  /** Empty: the default exchange, which leads to the queue that the routing key names. */
  readonly exchange: string;
  readonly routing_key: string;
  readonly delay_ms: number;
  readonly content: Buffer;
  readonly content_type: string;
  readonly headers: JsonObject;
}

interface Params {
  readonly rabbitmqQueueName: string;
  readonly rabbitmqExchange: string;
  readonly rabbitmqRoutingKey: string;
  readonly rabbitmqMessageBody?: unknown;
  readonly rabbitmqHeaders?: unknown;
  readonly rabbitmqDelayMs?: unknown;
}

function readName(
  params: Params,
  field: 'rabbitmqQueueName' | 'rabbitmqExchange' | 'rabbitmqRoutingKey',
): string {
  const name = params[field].trim();
  if (Buffer.byteLength(name) <= MOST_NAME_BYTES) return name;
  throw refusedParam(field, `is longer than ${MOST_NAME_BYTES} bytes`);
}

function readHeaders({ rabbitmqHeaders: given }: Params): JsonObject {
  let value = given as Json | undefined;
  if (value === undefined || value === null || value === '') return {};
  if (typeof value === 'string') {
    try {
      value = parseExactJson(value) as Json;
    } catch {
      throw refusedParam(
        'rabbitmqHeaders',
        'is not valid JSON; enter an object such as {"priority": "high"}',
      );
    }
  }
  if (isJsonObject(value)) return value;
  throw refusedParam('rabbitmqHeaders', 'must be a JSON object such as {"priority": "high"}');
}

function parseDelay({ rabbitmqDelayMs: given }: Params): number {
  const text = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : '';
  if (text === '' && (given ?? '') === '') return 0;
  const delay_ms = parseNumber(text);
  if (delay_ms !== undefined && Number.isInteger(delay_ms) && delay_ms >= 0 && delay_ms <= MOST_DELAY_MS)
    return delay_ms;
  throw refusedParam(
    'rabbitmqDelayMs',
    `must be a whole number of milliseconds from 0 to ${MOST_DELAY_MS} (30 days)`,
  );
}

/** The message that a node sends. Text is sent as text, everything else as JSON. */
export function buildOutgoing(params: Params, message_id: string): Outgoing {
  const exchange = readName(params, 'rabbitmqExchange');
  const routing_key = readName(params, 'rabbitmqRoutingKey') || readName(params, 'rabbitmqQueueName');
  if (exchange === '' && routing_key === '')
    throw refusedParam('rabbitmqQueueName', 'is empty; enter a queue, or an exchange');
  const body = params.rabbitmqMessageBody ?? null;
  const isText = typeof body === 'string';
  return {
    message_id,
    exchange,
    routing_key,
    delay_ms: parseDelay(params),
    content: Buffer.from(isText ? body : JSON.stringify(body)),
    content_type: isText ? 'text/plain' : 'application/json',
    headers: readHeaders(params),
  };
}
