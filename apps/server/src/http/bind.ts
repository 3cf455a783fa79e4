import type { AnyEndpoint, EndpointAuth, Received, ResponseOf } from '@millrace/contracts';
import { plainWords } from '@millrace/engine';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Actor } from '../core/actor.ts';
import { AppError, unauthenticated } from '../core/app-error.ts';
import type { Broadcast, BroadcastChannel } from '../ports/coordination/broadcast.ts';
import type { Context, Services } from '../services.ts';
import { readJsonBody } from './bodies/json-bodies.ts';
import type { ReadBody } from './bodies/read-body.ts';
import type { ClientAddress } from './callers/client-ip.ts';
import { isFromOtherSite, isKnownByCookie, refuseOtherSite } from './callers/own-site.ts';
import { type InputPlace, invalidInput, refuseUnstorable } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Id of the contract endpoint that the route serves. */
    endpoint_id?: string;
  }
}

/** Finds the session of a request; absent for anonymous callers and for tokens of any other kind. */
export type Authenticate = (
  request: Pick<FastifyRequest, 'headers' | 'cookies'>,
) => Promise<Actor | undefined>;

export interface BindOptions {
  readonly services: Services;
  /** Where routes of endpoints that take a file are registered. */
  readonly uploads: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly readBody: ReadBody;
  readonly clientAddress: ClientAddress;
  /** Called with a signed-in caller who is no administrator, before the refusal. */
  readonly onForbidden: (context: HandlerContext, endpoint: AnyEndpoint) => Promise<void>;
  /** Tests also parse what is answered, so that contract and code cannot drift apart. */
  readonly checkResponses: boolean;
}

/** The context that a handler gets beside its input; `actor` is present unless the contract lets anonymous callers in. */
export type HandlerContext = Omit<Context, 'actor'> & { readonly actor: Actor | undefined };
export type SignedInContext = Context;

type ContextFor<E extends AnyEndpoint> = E['auth'] extends 'session' | 'admin'
  ? SignedInContext
  : HandlerContext;

export type JsonHandler<E extends AnyEndpoint> = (
  context: ContextFor<E>,
  received: Received<E>,
  http: { request: FastifyRequest; reply: FastifyReply },
) => Promise<ResponseOf<E>> | ResponseOf<E>;

export type RawHandler<E extends AnyEndpoint> = (
  context: ContextFor<E>,
  received: Received<E>,
  http: { request: FastifyRequest; reply: FastifyReply },
) => unknown;

/** Refuses callers by what is known without their input: limits of attempts, for example. */
export type Guard = (context: HandlerContext) => Promise<void>;

export interface Binder {
  /** Where the routes are made, for hooks and parsers of a resource. */
  readonly app: FastifyInstance;
  readonly readBody: ReadBody;
  readonly clientAddress: ClientAddress;
  /** Answers JSON by the contract's response schema, or 204. `guard` runs before anything of the body is read. */
  json<E extends AnyEndpoint>(endpoint: E, handle: JsonHandler<E>, guard?: Guard): void;
  /** The handler writes the answer: streams, files, pages. */
  raw<E extends AnyEndpoint>(endpoint: E, handle: RawHandler<E>): void;
  readonly services: Services;
}

/** Makes the routes of a resource. */
export type BindResource = (binder: Binder) => void | Promise<void>;

const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, place: InputPlace): T | undefined {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value, { error: plainWords });
  if (!parsed.success) throw invalidInput(parsed.error, place);
  return parsed.data;
}

function requireActor(auth: EndpointAuth, actor: Actor | undefined): void {
  if ((auth === 'session' || auth === 'admin') && !actor) throw unauthenticated();
}

/** Methods that only read are open to every site: a link leads to a page, and no other site can see the answer. */
const READING = new Set(['GET', 'HEAD']);

function requireOwnSite({ method, headers }: FastifyRequest, { config }: Services): void {
  if (READING.has(method) || !isKnownByCookie(headers)) return;
  if (isFromOtherSite(headers, config)) throw refuseOtherSite();
}

/** Notes whether something was announced that other processes keep in memory. */
class Announcements implements Broadcast {
  made = false;
  readonly #broadcast: Broadcast;

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast;
  }

  publish = (channel: BroadcastChannel, payload: string): void => {
    if (channel === 'workflow_changed' || channel === 'access_changed') this.made = true;
    this.#broadcast.publish(channel, payload);
  };

  subscribe: Broadcast['subscribe'] = (channel, receive) => this.#broadcast.subscribe(channel, receive);

  close = (): Promise<void> => this.#broadcast.close();
}

interface RequestParts {
  readonly client_ip: string;
  readonly request: FastifyRequest;
  readonly actor: Actor | undefined;
  readonly broadcast: Broadcast;
}

/** Builds the context of one request. */
function buildContext(
  services: Services,
  { request, client_ip, actor, broadcast }: RequestParts,
): HandlerContext {
  return {
    db: services.database.db,
    sql: services.database.sql,
    actor,
    config: services.config,
    secrets: services.secrets,
    broadcast,
    log: services.log,
    now: services.now,
    request_id: request.id,
    client_ip,
  };
}

const KILOBYTE = 1024;
/** Regardless of the contract, callers without a session may send no more than this. */
const STRANGERS_BODY = 64 * KILOBYTE;
const BODY = 2 * KILOBYTE * KILOBYTE;

/** Largest JSON body of an endpoint. */
function getBodyLimit({ auth, body_limit }: AnyEndpoint, { config }: Services): number {
  const most = config.REQUEST_BODY_MAX_SIZE_MB * KILOBYTE * KILOBYTE;
  if (auth === 'none' || auth === 'optional_session') return Math.min(most, body_limit ?? STRANGERS_BODY);
  return Math.min(most, body_limit ?? BODY);
}

interface Route<E extends AnyEndpoint> {
  readonly handle: RawHandler<E>;
  readonly answersJson: boolean;
  readonly guard?: Guard | undefined;
}

/** Binds contract endpoints to handlers: authenticate, guard, read, parse, call, answer. The only way that routes are made. */
export function createBinder(app: FastifyInstance, options: BindOptions): Binder {
  const { services, uploads, authenticate, clientAddress, readBody, onForbidden, checkResponses } = options;

  function route<E extends AnyEndpoint>(endpoint: E, { handle, answersJson, guard }: Route<E>): void {
    const body_limit = getBodyLimit(endpoint, services);
    const usesSession = endpoint.auth !== 'none' && endpoint.auth !== 'own';
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      refuseUnstorable(request, endpoint.query !== undefined);
      const actor = usesSession ? await authenticate(request) : undefined;
      requireActor(endpoint.auth, actor);
      if (actor) requireOwnSite(request, services);
      const broadcast = new Announcements(services.broadcast);
      const client_ip = clientAddress(request.headers, request.socket.remoteAddress);
      const context = buildContext(services, { request, client_ip, actor, broadcast });
      if (endpoint.auth === 'admin' && !actor?.is_admin) {
        await onForbidden(context, endpoint);
        throw new AppError('forbidden', 'Only an administrator may do this');
      }
      await guard?.(context);
      // Kept with the request, where the answer to an error looks for the place of a bad character.
      request.body = endpoint.body
        ? await readJsonBody(readBody, { request, reply }, body_limit)
        : request.body;
      const received = {
        params: parse(endpoint.params, request.params, 'path'),
        query: parse(endpoint.query, request.query, 'query'),
        body: parse(endpoint.body, request.body, 'body'),
      } as Received<E>;
      const handling = Promise.resolve(handle(context as ContextFor<E>, received, { request, reply }));
      // Once a change is acknowledged, it applies at every process.
      const answer = await handling.finally(() =>
        broadcast.made ? services.changes.waitUntilVisible() : undefined,
      );
      if (!answersJson) return answer;
      if (!endpoint.response) return reply.code(204).send();
      if (checkResponses) endpoint.response.parse(answer);
      return reply.code(endpoint.status ?? 200).send(answer);
    };
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      (endpoint.upload === undefined ? app : uploads).route({
        method: [endpoint.method, ...(endpoint.also_methods ?? [])],
        url: fastifyPath(path),
        config: { endpoint_id: endpoint.id },
        handler,
      });
    }
  }

  return {
    app,
    services,
    clientAddress,
    readBody,
    json: (endpoint, handle, guard) => route(endpoint, { handle, answersJson: true, guard }),
    raw: (endpoint, handle) => route(endpoint, { handle, answersJson: false }),
  };
}
