import { isJsonObject, NodeFailure } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import { MEGABYTE } from '@millrace/engine/units';
import type { NodeCall } from '../../implement.ts';
import { readBytes } from '../files/read-bytes.ts';
import { buildConnection, type Connection, callJson, path } from '../integration/call-json.ts';
import { githubCredential } from '../integration/code-hosting.ts';
import { createCaller } from '../integration/run-caller.ts';
import { refusedParam } from '../refused-param.ts';

export const CODE_HOST = 'GitHub';
const MAX_ARCHIVE = 50 * MEGABYTE;
const DOWNLOAD_MS = 120_000;
const HOSTED = { host: 'github.com', base_url: 'https://api.github.com' };
/** Under an address of one's own, the REST API is at this path. */
const ENTERPRISE = '/api/v3';
const SHORT = /^([\w.-]+)\/([\w.-]+?)(?:\.git)?$/;
const SSH = /^(?:ssh:\/\/)?git@([\w.-]+)[:/]([\w.-]+)\/([\w.-]+?)(?:\.git)?$/;

export interface Repository {
  readonly owner: string;
  readonly name: string;
  /** Whether a token is sent: what is published needs one. */
  readonly has_token: boolean;
  readonly connection: Connection;
}

interface Place {
  readonly host: string | undefined;
  readonly owner: string;
  readonly name: string;
}

/** `https://host/owner/name`, `git@host:owner/name.git` or `owner/name`. */
export function placeIn(text: string): Place {
  const [, owner, name] = SHORT.exec(text.trim()) ?? [];
  if (owner && name) return { host: undefined, owner, name };
  const [, sshHost, sshOwner, sshName] = SSH.exec(text.trim()) ?? [];
  if (sshHost && sshOwner && sshName) return { host: sshHost.toLowerCase(), owner: sshOwner, name: sshName };
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const [first, second, ...more] = url?.pathname.split('/').filter((part) => part !== '') ?? [];
  if (url && /^https?:$/.test(url.protocol) && first && second && more.length === 0) {
    if (url.username !== '' || url.password !== '') {
      throw refusedParam('repositoryUrl', 'must not contain a token; choose a code hosting credential');
    }
    return { host: url.host.toLowerCase(), owner: first, name: second.replace(/\.git$/, '') };
  }
  throw refusedParam(
    'repositoryUrl',
    'must be the address of a repository, such as https://github.com/owner/name',
  );
}

/** @param config of the code hosting credential; undefined: public repositories are read without one */
export function resolveRepository(text: string, config: CredentialConfig | undefined): Repository {
  const { host, owner, name } = placeIn(text);
  const connection: Connection = config
    ? buildConnection(CODE_HOST, githubCredential, config)
    : { title: CODE_HOST, service: { base_url: getApiUrl(host), headers: {} } };
  const reached = toHost(connection.service.base_url);
  if (host !== undefined && reached !== host) {
    throw refusedParam('repositoryUrl', `is at ${host}, but the code hosting credential is for ${reached}`);
  }
  return {
    owner,
    name,
    has_token: config !== undefined,
    connection: { ...connection, sign_in: 'githubCredentialId' },
  };
}

const getApiUrl = (host: string | undefined): string =>
  host === undefined || host === HOSTED.host ? HOSTED.base_url : `https://${host}${ENTERPRISE}`;

function toHost(base_url: string): string {
  return base_url === HOSTED.base_url ? HOSTED.host : new URL(base_url).host.toLowerCase();
}

export const buildRepositoryPath = ({ owner, name }: Pick<Repository, 'owner' | 'name'>): string =>
  path`/repos/${owner}/${name}`;

type Call = Pick<NodeCall, 'services' | 'signal' | 'idempotency_key'>;

/** Id of the newest commit of a branch; undefined for a branch that does not exist. */
export async function findHead(
  call: Call,
  { repository, branch }: { readonly repository: Repository; readonly branch: string },
): Promise<string | undefined> {
  const { connection } = repository;
  const { status, body } = await callJson(createCaller(call), connection, {
    path: `${buildRepositoryPath(repository)}/git/ref/heads/${branch.split('/').map(encodeURIComponent).join('/')}`,
    effect: 'read',
    accepts: [404],
  });
  const object = isJsonObject(body) ? body['object'] : undefined;
  const sha = isJsonObject(object) ? object['sha'] : undefined;
  return status !== 404 && typeof sha === 'string' ? sha : undefined;
}

/** The files of a commit as a gzipped tar file, through the egress guard. https://docs.github.com/en/rest/repos/contents */
export async function downloadArchive(
  { services, signal }: Pick<NodeCall, 'services' | 'signal'>,
  { repository, sha }: { readonly repository: Repository; readonly sha: string },
): Promise<Buffer> {
  const { base_url, headers = {} } = repository.connection.service;
  const secret = headers['authorization'];
  const response = await services.http.request({
    method: 'GET',
    url: `${base_url}${buildRepositoryPath(repository)}/tarball/${sha}`,
    headers: Object.entries(headers),
    // The archive itself is at another host, which must not get the token.
    holdsSecret: (value) => value === secret,
    timeout_ms: DOWNLOAD_MS,
    max_response_bytes: MAX_ARCHIVE,
    follow_redirects: true,
    signal,
  });
  const bytes = await readBytes(response.body);
  if (response.status === 200) return bytes;
  throw new NodeFailure({
    kind: 'upstream',
    field: 'repositoryUrl',
    message: `${CODE_HOST} answered with status ${response.status} when the files of the repository were asked for`,
  });
}
