import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import { graph } from '@millrace/server/testing';
import { sandboxSettings } from '@millrace/server/testing/sandbox';
import {
  type SeenRequest,
  type ServerAnswer,
  serveJson,
} from '../../packages/nodes/src/testing/servers/json-server.ts';
import { localCertificate } from '../../packages/nodes/src/testing/servers/tls.ts';
import { discard, type Product, startProduct } from '../support/product.ts';

export type Call = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: unknown }>;

export interface Execution {
  readonly status: string;
  /** By the label of the node. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** The built product on the embedded database, and a person who uses it over HTTP. */
export interface SmokeWorld {
  readonly product: Product;
  readonly call: Call;
  /** Calls and gives the body of a 2xx; throws with the answer otherwise. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Stores a credential and gives its id. */
  store(type: string, config: JsonObject): Promise<string>;
  /** Stores a workflow and gives its id. */
  create(content: WorkflowDocument, settings?: JsonObject): Promise<string>;
  /** Runs a workflow with that body and waits for its end. */
  execute(id: string, body?: JsonObject): Promise<Execution>;
  /** The output of a node behind a start, for a start that receives the body. */
  runNode(type: string, data: JsonObject, body?: JsonObject): Promise<unknown>;
  close(): Promise<void>;
}

let names = 0;

async function registered(url: string): Promise<Call> {
  const call = async (token: string, method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: answer.status, body: isJson ? (JSON.parse(text) as unknown) : text };
  };
  const person = { email: 'smoke@example.com', password: 'Passw0rd!', name: 'Smoke' };
  const { status, body } = await call('', 'POST', '/api/auth/register', person);
  if (status !== 201) throw new Error(`registering answered ${status}: ${JSON.stringify(body)}`);
  const { access_token } = body as { access_token: string };
  return (method, path, given) => call(access_token, method, path, given);
}

export async function startSmokeWorld(env: Record<string, string> = {}): Promise<SmokeWorld> {
  const data_dir = mkdtempSync(join(tmpdir(), 'millrace-smoke-'));
  // A mail server has no other way to be trusted than the authorities of the machine.
  const authorities = join(data_dir, 'authorities.pem');
  writeFileSync(authorities, localCertificate);
  const product = await startProduct({
    data_dir,
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true', NODE_EXTRA_CA_CERTS: authorities, ...sandboxSettings, ...env },
  });
  const call = await registered(product.url);
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call(method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer.body as T;
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  };
  const create: SmokeWorld['create'] = async (content, settings = {}) => {
    const name = `smoke ${(names += 1)}`;
    const { id } = await ask<{ id: string }>('POST', '/api/workflows', { name, ...content, ...settings });
    return id;
  };
  const execute: SmokeWorld['execute'] = (id, body = {}) => ask('POST', `/api/workflows/${id}/execute`, body);
  return {
    product,
    call,
    ask,
    create,
    execute,
    async store(type, config) {
      const name = `${type}${(names += 1)}`;
      return (await ask<{ id: string }>('POST', '/api/credentials', { name, type, config })).id;
    },
    async runNode(type, data, body = {}) {
      const nodes = [
        ['start', 'textInput'],
        ['given', 'set', { mappings: mappingsFor(body) }],
        ['node', type, data],
      ] as const;
      const { status, outputs } = await execute(
        await create(graph(nodes, ['start>given', 'given>node'])),
        body,
      );
      if (status !== 'success') throw new Error(`the run ended with ${status}: ${JSON.stringify(outputs)}`);
      return outputs['node'];
    },
    close: () => discard(product),
  };
}

const mappingsFor = (body: JsonObject): JsonObject[] =>
  Object.keys(body).map((key) => ({ key, value: `$input.body.${key}` }));

/** A service that answers what is in `routes`, by verb and path, to calls with these headers; nothing else is found. */
export function serveRoutes(
  routes: Readonly<Record<string, ServerAnswer | ((request: SeenRequest) => ServerAnswer)>>,
  headers: Readonly<Record<string, string>> = {},
) {
  return serveJson((request) => {
    const isKnown = Object.entries(headers).every(([name, value]) => request.headers[name] === value);
    if (!isKnown) return { status: 401, body: { message: 'who is this?' } };
    const route = routes[`${request.method} ${request.path}`];
    if (route === undefined)
      return { status: 404, body: { message: `no ${request.method} ${request.path}` } };
    return typeof route === 'function' ? route(request) : route;
  });
}
