import type { AnyEndpoint, ResponseOf, Sent } from './endpoint.ts';
import type { ErrorBody } from './error-body.ts';

/** A refused or failed call. `body` is absent when the server could not be reached or did not answer JSON. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody | undefined;
  constructor(status: number, message: string, body?: ErrorBody) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

export interface ClientOptions {
  base_url?: string;
  headers?: () => Record<string, string>;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Address of an endpoint with its parameters filled in and its query appended. */
export function addressOf(
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
  if (!body) return fallback;
  if (typeof body.detail === 'string') return body.detail;
  if (Array.isArray(body.detail))
    return body.detail.map((item) => `${item.loc.slice(1).join('.')}: ${item.msg}`).join('; ');
  const message = body.detail['message'];
  return typeof message === 'string' ? message : fallback;
}

/** A typed client over the contracts: `call(createFolder, { body: { name } })`. Throws `ApiError`. */
export function createClient(options: ClientOptions = {}) {
  const send = options.fetch ?? fetch;
  return async function call<E extends AnyEndpoint>(
    endpoint: E,
    sent: Sent<E>,
    { signal, headers }: CallOptions = {},
  ): Promise<ResponseOf<E>> {
    const { body } = sent as { body?: unknown };
    const response = await send(addressOf(endpoint, sent, options.base_url), {
      method: endpoint.method,
      credentials: 'same-origin',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers?.(),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    if (response.status === 204) return undefined as ResponseOf<E>;
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) {
      const error = answer as ErrorBody | undefined;
      throw new ApiError(
        response.status,
        errorMessage(error, `The server answered ${response.status}`),
        error,
      );
    }
    return answer as ResponseOf<E>;
  };
}
export type Client = ReturnType<typeof createClient>;
