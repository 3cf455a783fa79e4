import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@millrace/engine';
import type { SeenRequest, ServerAnswer } from '../../testing/servers/json-server.ts';
import { runAtService } from '../../testing/servers/test-service.ts';

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
export const HOST = 'https://api.github.com';

/** Runs the node against a server of one test. */
export async function runGithub(data: JsonObject, routes: Routes, options: Options = {}) {
  const { inputs = {}, key = 'ghp_canary', isHosted = false, now } = options;
  const base = isHosted ? '' : BASE;
  const { seen, url, ...done } = await runAtService(
    { node: 'github', credential: 'github', api: githubApi(routes, base), address: HOST },
    { githubOwner: 'octo', githubRepo: 'hello', ...data },
    {
      values: (server) => ({ api_key: key, ...(isHosted ? {} : { base_url: `${server}${BASE}/` }) }),
      inputs,
      ...(now ? { now } : {}),
    },
  );
  const below = seen.map((request) => ({ ...request, path: request.path.slice(base.length) }));
  return { ...done, seen: below, url: `${url}${base}` };
}

export const REPO = '/repos/octo/hello';
export const URL_OF = { html_url: 'https://github.com/x' };
export const WORKFLOW = { id: 161_335, name: 'CI', path: '.github/workflows/ci.yml' };
export const base64 = (text: string) => Buffer.from(text).toString('base64');
const blobHash = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');
export const FILE = {
  type: 'file',
  name: 'a b.md',
  path: 'docs/a b.md',
  sha: blobHash('Grüße'),
  size: 7,
  encoding: 'base64',
  content: `${base64('Grüße')}\n`,
  ...URL_OF,
};
