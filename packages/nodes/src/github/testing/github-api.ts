import type { Json, JsonObject } from '@millrace/engine';
import type { Egress, EgressRequest } from '../../services.ts';
import {
  type JsonServer,
  type SeenRequest,
  type ServerAnswer,
  serveJson,
} from '../../testing/json-server.ts';
import { realEgress } from '../../testing/real-egress.ts';
import { traceNode } from '../../testing/run-node.ts';

/** Answers by verb and path below the base address. */
export type Routes = Readonly<Record<string, ServerAnswer | ((request: SeenRequest) => ServerAnswer)>>;

/**
 * Answers what is in `routes` to calls that carry the token, the media type and the version, as
 * https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api asks for; nothing else is found.
 */
export function githubApi(routes: Routes, base: string) {
  return (request: SeenRequest): ServerAnswer => {
    const { method, path, headers } = request;
    if (headers['authorization'] !== 'Bearer ghp_canary')
      return { status: 401, body: { message: 'Bad credentials' } };
    if (headers['accept'] !== 'application/vnd.github+json') return { status: 415 };
    if (headers['x-github-api-version'] !== '2022-11-28') return { status: 400 };
    const place = path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
    const route = place === undefined ? undefined : routes[`${method} ${place}`];
    if (route === undefined) return { status: 404, body: { message: 'Not Found' } };
    return typeof route === 'function' ? route(request) : route;
  };
}

interface Options {
  readonly inputs?: Record<string, Json>;
  readonly key?: string;
  /** As github.com itself, not as a server of one's own. */
  readonly isHosted?: boolean;
  readonly now?: () => number;
}

const BASE = '/api/v3';

/** Runs the node against a server of one test. */
export async function runGithub(data: JsonObject, routes: Routes, options: Options = {}) {
  const { inputs = {}, key = 'ghp_canary', isHosted = false, now } = options;
  const base = isHosted ? '' : BASE;
  const server = await serveJson(githubApi(routes, base));
  const values = { api_key: key, ...(isHosted ? {} : { base_url: `${server.url}${BASE}/` }) };
  const { result, trace } = await traceNode(
    'github',
    { credentialId: 'c', githubOwner: 'octo', githubRepo: 'hello', ...data },
    {
      inputs,
      services: {
        http: hosted(server),
        credential: (id) => Promise.resolve({ id, name: 'g', type: 'github', values }),
        ...(now ? { now } : {}),
      },
    },
  );
  const seen = server.seen.map((request) => ({ ...request, path: request.path.slice(base.length) }));
  return { result, trace, seen, url: `${server.url}${base}` };
}

/** The host of the service is replaced by the server of the test. */
export function hosted({ url }: Pick<JsonServer, 'url'>): Egress {
  const http = realEgress();
  return {
    ...http,
    request: (request: EgressRequest) =>
      http.request({ ...request, url: request.url.replace('https://api.github.com', url) }),
  };
}
