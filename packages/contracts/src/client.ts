import type { AnyEndpoint, ResponseOf, Sent } from './endpoint.ts';
import type { ErrorBody, FieldProblem } from './error-body.ts';

/** A refused or failed call. `body` is absent when the server did not answer JSON. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody | undefined;
  /** Seconds until trying again is of use (`Retry-After`). */
  readonly wait_seconds: number | undefined;
  constructor(status: number, message: string, { body, wait_seconds }: ErrorParts = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.wait_seconds = wait_seconds;
  }
}

interface ErrorParts {
  readonly body?: ErrorBody | undefined;
  readonly wait_seconds?: number | undefined;
}

export interface ClientOptions {
  base_url?: string;
  headers?: () => Record<string, string>;
  fetch?: typeof fetch;
  /** By default `same-origin`. */
  credentials?: 'omit' | 'same-origin' | 'include';
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Address of an endpoint with its parameters filled in and its query appended. */
export function buildEndpointUrl(
  endpoint: AnyEndpoint,
  sent: { params?: unknown; query?: unknown },
  base = '',
): string {
  const params = (sent.params ?? {}) as Record<string, unknown>;
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((sent.query ?? {}) as Record<string, unknown>)) {
    if (value === undefined || value === null) continue;
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item));
  }
  const text = query.toString();
  return `${base}${path}${text ? `?${text}` : ''}`;
}

/** The sentence of an error body that a user can read. */
export function errorMessage(body: ErrorBody | undefined, fallback: string): string {
  // A proxy may answer with JSON of its own.
  if (!body?.detail) return fallback;
  if (typeof body.detail === 'string') return body.detail;
  if (Array.isArray(body.detail)) return body.detail.map(problemText).join('; ');
  const message = body.detail['message'];
  return typeof message === 'string' ? message : fallback;
}

/** A text that begins with a name is a sentence of its own, such as `"Set" was not reached`; others need their field. */
function problemText({ loc, msg }: FieldProblem): string {
  const field = loc.slice(1).join('.');
  return msg.startsWith('"') || field === '' ? msg : `${field}: ${msg}`;
}

/** The error that an answer which is not one of success stands for. */
export async function readApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(response.status, errorMessage(body, `The server answered ${response.status}`), {
    body,
    wait_seconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/** Sends calls over the contracts and gives each answer as it is, also a refusal; for streams. */
export function createSender(options: ClientOptions = {}) {
  return function open<E extends AnyEndpoint>(
    endpoint: E,
    sent: Sent<E>,
    { signal, headers }: CallOptions = {},
  ): Promise<Response> {
    const send = options.fetch ?? fetch;
    const { body } = sent as { body?: unknown };
    return send(buildEndpointUrl(endpoint, sent, options.base_url), {
      method: endpoint.method,
      credentials: options.credentials ?? 'same-origin',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers?.(),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  };
}

/** A typed client over the contracts: `call(createFolder, { body: { name } })`. Throws `ApiError`. */
export function createClient(options: ClientOptions = {}) {
  const open = createSender(options);
  return async function call<E extends AnyEndpoint>(
    endpoint: E,
    sent: Sent<E>,
    more: CallOptions = {},
  ): Promise<ResponseOf<E>> {
    const response = await open(endpoint, sent, more);
    if (!response.ok) throw await readApiError(response);
    if (response.status === 204) return undefined as ResponseOf<E>;
    return (await response.json().catch(() => undefined)) as ResponseOf<E>;
  };
}
export type Client = ReturnType<typeof createClient>;
