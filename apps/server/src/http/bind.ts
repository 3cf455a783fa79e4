import type { AnyEndpoint, EndpointAuth, Received, ResponseOf } from '@millrace/contracts';
import { plainWords } from '@millrace/engine';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError, unauthenticated } from '../core/app-error.ts';
import type { Actor, Context, Services } from '../core/context.ts';
import type { Broadcast, BroadcastChannel } from '../ports/broadcast.ts';
import { clientIp } from './client-ip.ts';
import { type InputPlace, invalidInput } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Id of the contract endpoint that the route serves. */
    endpoint_id?: string;
  }
}

/** Finds the session of a request; absent for anonymous callers and for tokens of any other kind. */
export type Authenticate = (request: FastifyRequest) => Promise<Actor | undefined>;

export interface BindOptions {
  readonly services: Services;
  readonly authenticate: Authenticate;
  /** Told of a signed-in caller who is no administrator, before they are refused. */
  readonly onForbidden: (context: HandlerContext, endpoint: AnyEndpoint) => Promise<void>;
  /** Tests also parse what is answered, so that contract and code cannot drift apart. */
  readonly checkResponses: boolean;
}

/** What a handler gets beside its input; `actor` is present unless the contract lets anonymous callers in. */
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

export interface Binder {
  /** Answers JSON by the contract's response schema, or 204. */
  json<E extends AnyEndpoint>(endpoint: E, handle: JsonHandler<E>): void;
  /** The handler writes the answer: streams, files, pages. */
  raw<E extends AnyEndpoint>(endpoint: E, handle: RawHandler<E>): void;
  readonly services: Services;
}

const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, place: InputPlace): T | undefined {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value, { error: plainWords });
  if (!parsed.success) throw invalidInput(parsed.error, place);
  return parsed.data;
}

/** What `curl -d` and careless clients say of the JSON that they send; taken at its word it would be an object of nobody's. */
const MISTAKEN = /^(application\/x-www-form-urlencoded|text\/plain)\b/i;

function requireJson({ headers, body }: FastifyRequest): void {
  if (!MISTAKEN.test(headers['content-type'] ?? '')) return;
  const isEmpty = typeof body === 'object' && Object.keys(body ?? {}).length === 0;
  if (!isEmpty && body !== '')
    throw new AppError('unsupported_media_type', 'Send JSON with Content-Type: application/json');
}

function requireActor(auth: EndpointAuth, actor: Actor | undefined): void {
  if ((auth === 'session' || auth === 'admin') && !actor) throw unauthenticated();
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
  readonly request: FastifyRequest;
  readonly actor: Actor | undefined;
  readonly broadcast: Broadcast;
}

/** Builds the context of one request. */
function contextOf(services: Services, { request, actor, broadcast }: RequestParts): HandlerContext {
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
    client_ip: clientIp(request.headers, request.socket.remoteAddress, services.config.TRUST_PROXY_HEADERS),
  };
}

/** Binds contract endpoints to handlers: authenticate, parse, call, answer. The only way that routes are made. */
export function createBinder(app: FastifyInstance, options: BindOptions): Binder {
  const { services, authenticate, onForbidden, checkResponses } = options;

  function route<E extends AnyEndpoint>(endpoint: E, handle: RawHandler<E>, answersJson: boolean): void {
    const usesSession = endpoint.auth !== 'none' && endpoint.auth !== 'own';
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const actor = usesSession ? await authenticate(request) : undefined;
      requireActor(endpoint.auth, actor);
      const broadcast = new Announcements(services.broadcast);
      const context = contextOf(services, { request, actor, broadcast });
      if (endpoint.auth === 'admin' && !actor?.is_admin) {
        await onForbidden(context, endpoint);
        throw new AppError('forbidden', 'Only an administrator may do this');
      }
      if (answersJson && endpoint.body) requireJson(request);
      const received = {
        params: parse(endpoint.params, request.params, 'path'),
        query: parse(endpoint.query, request.query, 'query'),
        body: parse(endpoint.body, request.body ?? undefined, 'body'),
      } as Received<E>;
      const handling = Promise.resolve(handle(context as ContextFor<E>, received, { request, reply }));
      // Whoever is told of a change finds it done at every process.
      const answer = await handling.finally(() => (broadcast.made ? services.changes.settle() : undefined));
      if (!answersJson) return answer;
      if (!endpoint.response) return reply.code(204).send();
      if (checkResponses) endpoint.response.parse(answer);
      return reply.code(endpoint.status ?? 200).send(answer);
    };
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      app.route({
        method: endpoint.method,
        url: fastifyPath(path),
        ...(endpoint.body_limit === undefined ? {} : { bodyLimit: endpoint.body_limit }),
        config: { endpoint_id: endpoint.id },
        handler,
      });
    }
  }

  return {
    services,
    json: (endpoint, handle) => route(endpoint, handle as RawHandler<typeof endpoint>, true),
    raw: (endpoint, handle) => route(endpoint, handle, false),
  };
}
