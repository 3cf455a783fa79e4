import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { type JsonAnswer, path } from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import {
  type Act,
  buildRepositoryPath,
  decodeContent,
  type GitHub,
  given,
  objectIn,
  type Params,
  pick,
  READ,
  requireRepository,
} from './connection.ts';

/** https://docs.github.com/en/rest/repos/contents */
export const FILES = {
  async getFile(github) {
    const found = objectIn(await requireFile(github));
    const content = decodeContent(await withContent(github, found));
    const file = { ...outlined(found), content, encoding: found['encoding'] ?? null };
    return { file, ...pick(found, { path: 'path', sha: 'sha' }), content };
  },
  async listFiles({ params, call }) {
    const { body } = await call({ path: buildContentsPath(params), query: buildRefQuery(params), ...READ });
    if (!Array.isArray(body)) throw refusedParam('githubFilePath', 'is a file; enter the path of a folder');
    const items = body
      .filter(isJsonObject)
      .map((item) => ({ ...outlined(item), type: item['type'] ?? null }));
    return { items, path: params.githubFilePath.trim(), count: items.length };
  },
  async upsertFile(github) {
    const { params } = github;
    requiredText(params, 'githubFilePath');
    const message = requiredText(params, 'githubCommitMessage');
    const bytes = Buffer.from(params.githubFileContent, 'utf8');
    const found = await lookUp(github);
    const sha = found?.['sha'];
    if (found && sha === blobHash(bytes)) {
      // It is there already, such as after a crash behind the commit: a second one would be empty.
      return written(outlined(found), { commit_sha: null, created: false });
    }
    const answer = await github.call({
      method: 'PUT',
      path: buildContentsPath(params),
      body: {
        message,
        content: bytes.toString('base64'),
        ...given({ branch: params.githubBranch.trim(), sha }),
      },
      effect: 'idempotent',
    });
    const { content, commit } = objectIn(answer);
    return written(outlined(isJsonObject(content) ? content : {}), {
      commit_sha: readHash(commit),
      created: found === undefined,
    });
  },
  async deleteFile(github) {
    const { params, call } = github;
    const file = requiredText(params, 'githubFilePath');
    const message = requiredText(params, 'githubCommitMessage');
    const found = await lookUp(github);
    if (!found) return { deleted: false, path: file, sha: null, commit_sha: null };
    const sha = found['sha'] ?? null;
    const answer = await call({
      method: 'DELETE',
      path: buildContentsPath(params),
      body: { message, sha, ...given({ branch: params.githubBranch.trim() }) },
      effect: 'idempotent',
    });
    return { deleted: true, path: file, sha, commit_sha: readHash(objectIn(answer)['commit']) };
  },
} satisfies Record<string, Act>;

const buildRefQuery = (params: Params) => ({ ref: params.githubBranch.trim() });

/** Each part of the path is escaped; a slash at an end counts for nothing. */
function buildContentsPath(params: Params): string {
  const parts = params.githubFilePath
    .trim()
    .split('/')
    .filter((part) => part !== '');
  return [`${buildRepositoryPath(params)}/contents`, ...parts.map((part) => path`${part}`)].join('/');
}

async function requireFile({ params, call }: GitHub): Promise<JsonAnswer> {
  requiredText(params, 'githubFilePath');
  return requireNoFolder(
    await call({ path: buildContentsPath(params), query: buildRefQuery(params), ...READ }),
  );
}

function requireNoFolder(answer: JsonAnswer): JsonAnswer {
  if (Array.isArray(answer.body))
    throw refusedParam('githubFilePath', 'is a folder; enter the path of a file');
  return answer;
}

/** The file as it is, undefined when the repository has none of that path. */
async function lookUp(github: GitHub): Promise<JsonObject | undefined> {
  const { params, call } = github;
  const answer = await call({
    path: buildContentsPath(params),
    query: buildRefQuery(params),
    ...READ,
    accepts: [404],
  });
  if (answer.status !== 404) return objectIn(requireNoFolder(answer));
  await requireRepository(github);
  return undefined;
}

/** Above 1 MB the contents of a file are left out, but its blob has them. https://docs.github.com/en/rest/git/blobs */
async function withContent({ params, call }: GitHub, found: JsonObject): Promise<JsonObject> {
  if (found['encoding'] !== 'none' || typeof found['sha'] !== 'string') return found;
  const blob = path`/git/blobs/${found['sha']}`;
  return objectIn(await call({ path: buildRepositoryPath(params) + blob, ...READ }));
}

function outlined(item: JsonObject): JsonObject {
  const { html_url, download_url, url } = item;
  return {
    ...pick(item, { name: 'name', path: 'path', sha: 'sha', size: 'size' }),
    url: html_url ?? download_url ?? url ?? null,
  };
}

function written(file: JsonObject, more: { commit_sha: Json; created: boolean }): JsonObject {
  const all = { ...file, ...more };
  return { file: all, path: file['path'] ?? null, sha: file['sha'] ?? null, ...more };
}

const readHash = (commit: Json | undefined): Json => (isJsonObject(commit) ? (commit['sha'] ?? null) : null);

/** The name that git gives a content; it is no protection, so SHA-1 will do. */
const blobHash = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
