import type { Effect, Json, JsonObject } from '@millrace/engine';
import { implementations } from '../../runtime.ts';
import { egressTo, realEgress } from '../real-egress.ts';
import { traceNode } from '../run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from './json-server.ts';

/** A service that a node speaks to in its tests. */
export interface TestService {
  /** Type of the node. */
  readonly node: string;
  /** Type of its credential. */
  readonly credential: string;
  readonly api: (request: SeenRequest) => ServerAnswer;
  /** Address of the real service, that the server of the test replaces; absent: the credential names the server. */
  readonly address?: string;
}

interface Situation {
  /** Values of the credential. */
  readonly values: JsonObject | ((url: string) => JsonObject);
  /** Given before the service answers by itself. */
  readonly answers?: readonly ServerAnswer[];
  readonly inputs?: Record<string, Json>;
  readonly now?: () => number;
}

/** Runs the node against a server of one test. */
export async function runAtService(
  { node, credential: type, api, address }: TestService,
  data: JsonObject,
  { values, answers = [], inputs = {}, now }: Situation,
) {
  const first = [...answers];
  const server = await serveJson((request) => first.shift() ?? api(request));
  const known = typeof values === 'function' ? values(server.url) : values;
  const { result, trace } = await traceNode(
    node,
    { credentialId: 'c', ...data },
    {
      inputs,
      services: {
        http: address === undefined ? realEgress() : egressTo(address, server.url),
        credential: (id) => Promise.resolve({ id, name: 'test', type, values: known }),
        ...(now ? { now } : {}),
      },
    },
  );
  return { result, trace, seen: server.seen, url: server.url };
}

/** The effect of a node with these parameters on the outside. */
export function getEffect(node: string, data: JsonObject): Effect | undefined {
  const effect = implementations.get(node)?.definition.effect;
  return typeof effect === 'function' ? effect(data) : effect;
}
