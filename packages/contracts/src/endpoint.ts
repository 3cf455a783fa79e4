import type { z } from 'zod';
import type { ErrorCode } from './error-body.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call an endpoint.
 *
 * - `none`: anyone. - `session`: a signed-in user. - `optional_session`: anyone; a session is used when there is one.
 * - `admin`: a signed-in administrator.
 * - `own`: the handler authenticates itself (webhook signatures, capability tokens, portal sessions, MCP keys).
 */
export type EndpointAuth = 'none' | 'session' | 'optional_session' | 'admin' | 'own';

/** `json` (default): schema in, schema out. `stream`: server-sent events. `raw`: the handler writes the answer. */
export type EndpointKind = 'json' | 'stream' | 'raw';

export interface Endpoint<
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Response extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly id: string;
  readonly method: Method;
  /** Further verbs that answer alike. */
  readonly also_methods?: readonly Method[];
  /** Path with `{name}` parameters, as the specification writes it. */
  readonly path: string;
  /** Further paths that answer alike. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly auth: EndpointAuth;
  readonly kind?: EndpointKind;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Absent for 204 and for kinds that write the answer themselves. */
  readonly response?: Response;
  /** Takes one file, as the part `file` of a multipart form; with `form_or_body` also as the body itself. */
  readonly upload?: 'form' | 'form_or_body';
  readonly status?: number;
  readonly errors?: readonly ErrorCode[];
  /** Upper bound of the JSON body in bytes; absent: the server's default, which is small. */
  readonly body_limit?: number;
}

/** Bodies that hold whole graphs or results of runs. */
export const GRAPH_BODY_BYTES = 32 * 1024 * 1024;

export type AnyEndpoint = Endpoint;

/** Declares one endpoint of the HTTP interface; server, web client and OpenAPI document derive from it. */
export function endpoint<const Definition extends Endpoint>(definition: Definition): Definition {
  return definition;
}

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;
type Input<T> = T extends z.ZodType ? z.input<T> : undefined;

/** The values that a handler receives. */
export interface Received<E extends AnyEndpoint> {
  params: Output<E['params']>;
  query: Output<E['query']>;
  body: Output<E['body']>;
}

export type ResponseOf<E extends AnyEndpoint> = Output<E['response']>;

type Part<Name extends string, T> = T extends z.ZodType
  ? { [key in Name]: z.input<T> }
  : { [key in Name]?: undefined };

/** The values that a client sends. */
export type Sent<E extends AnyEndpoint> = Part<'params', E['params']> &
  ([Input<E['query']>] extends [undefined] ? { query?: undefined } : { query?: Input<E['query']> }) &
  Part<'body', E['body']>;
