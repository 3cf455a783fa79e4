import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  NodeFailure,
  nameOfField,
  printValue,
} from '@millrace/engine';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { openWebSocket } from '../kit/network/websocket/open.ts';
import { buildTarget, handshakeHeaders, type Target } from '../kit/network/websocket/target.ts';
import { type ConnectionCall, receive, type TriggerCall } from '../receive.ts';
import { type EVENTS, websocketTrigger } from './definition.ts';
import { watch } from './watch.ts';

type EventName = (typeof EVENTS)[number];

const GOING_AWAY = 1001;
const CLOSE_TIMEOUT_MS = 1_000;

/** Address that the trigger was connected to before, on any process. */
const connectedBefore = (cursor: Json): Json | undefined =>
  isJsonObject(cursor) ? cursor['url'] : undefined;

type Call = Pick<ConnectionCall<unknown>, 'fire' | 'node_id' | 'services'>;

function fireEvent(call: Call, { url }: Target, name: EventName, fields: JsonObject) {
  const input = {
    eventName: name,
    url: url.href,
    ...fields,
    triggered_by: 'websocket',
    trigger_node_id: call.node_id,
    triggered_at: new Date(call.services.now()).toISOString(),
  };
  // A message has no name at its source, and the server does not send it again: each one is an event of its own.
  return call.fire({ cause: randomUUID(), input, cursor: { url: url.href } });
}

/** The node's own address and headers are plain text: there is no run whose values an expression could use. */
function requirePlain(text: string, field: string): void {
  if (!/\$(credentials|vars|input|env)\b/.test(text)) return;
  throw new NodeFailure({
    kind: 'params',
    field,
    message: `holds an expression, which has no value before a run; enter plain text, and choose a credential for secrets`,
    final: true,
  });
}

/** A refused parameter is named as the form names it. */
function namingField(error: unknown): unknown {
  if (!(error instanceof NodeFailure)) return error;
  const { kind, field, message } = error.failure;
  if (kind !== 'params' || field === undefined) return error;
  const shape: Readonly<Record<string, z.ZodType>> = websocketTrigger.params.shape;
  return new NodeFailure(
    { ...error.failure, message: `${nameOfField(shape[field], field)}: ${message}` },
    { cause: error },
  );
}

type Params = z.output<typeof websocketTrigger.params>;

async function targetOfTrigger({ params, services }: TriggerCall<Params>): Promise<Target> {
  const { websocketHeaders: headers, credentialId } = params;
  try {
    requirePlain(params.websocketUrl, 'websocketUrl');
    requirePlain(printValue(headers), 'websocketHeaders');
    const proof = credentialId === '' ? {} : handshakeHeaders(await services.credential(credentialId));
    return buildTarget(params, proof);
  } catch (error) {
    throw namingField(error);
  }
}

/** While it connects, the connection is given up at once; later it is closed in the words of the protocol. */
async function openFor(
  { services, signal }: Pick<ConnectionCall<unknown>, 'services' | 'signal'>,
  target: Target,
): Promise<WebSocket> {
  const opening = new AbortController();
  const stop = () => opening.abort();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await openWebSocket({ http: services.http, signal: opening.signal }, target);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** §6.2. One connection in the whole cluster for each node. What the server sends while there is none is not received. */
export const receiveWebsocket = receive(websocketTrigger, {
  kind: 'connection',
  source: 'websocket',
  causes_kept_days: 1,
  retry_ms: ({ params }) => (params.retryEnabled ? params.retryWaitSeconds * 1000 : null),
  async connect(call) {
    const { params, signal } = call;
    const target = await targetOfTrigger(call);
    const client = await openFor(call, target);
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    try {
      const events = watch(client, target, { signal, reconnects: params.retryEnabled });
      call.connected();
      const tell = async (name: EventName, fields: JsonObject) =>
        !params.websocketTriggerEvents.includes(name) ||
        (await fireEvent(call, target, name, fields)).kind !== 'lost';
      const subprotocol = client.protocol === '' ? null : client.protocol;
      const reconnected = connectedBefore(call.cursor) === target.url.href;
      let isWanted = await tell('onConnected', { connection: { reconnected, subprotocol } });
      while (isWanted) {
        const happening = await events.next();
        if (!happening) break;
        isWanted = await tell(happening.name, happening.fields);
        if (happening.name === 'onClosed') throw happening.failure;
      }
      client.close(GOING_AWAY);
      await Promise.race([closed, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    } finally {
      client.terminate();
    }
  },
});
