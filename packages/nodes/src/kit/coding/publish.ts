import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import type { NodeCall, StepCall } from '../../implement.ts';
import { callJson, type JsonRequest } from '../integration/call-json.ts';
import { createCaller } from '../integration/run-caller.ts';
import { refusedParam } from '../refused-param.ts';
import type { ChangedFile } from './messages.ts';
import { buildRepositoryPath, CODE_HOST, findHead, type Repository } from './repository.ts';

/** As it is written in a commit (git-commit(1)). */
const AUTHOR = { name: 'Millrace', email: 'noreply@millrace.invalid' };
const LONGEST_SUBJECT = 72;

export interface Publication {
  readonly repository: Repository;
  readonly branch: string;
  /** Id of the commit that the agent began with. */
  readonly base_sha: string;
  readonly summary: string;
  readonly files: readonly ChangedFile[];
  /** The same in every repetition, so that the commit is the same, too. */
  readonly date_ms: number;
}

type Call = Pick<NodeCall, 'services' | 'signal' | 'idempotency_key'>;
type Ask = (request: Omit<JsonRequest, 'effect'>) => Promise<{ status: number; body: JsonObject }>;

function createAsk(call: Call, step: StepCall, repository: Repository): Ask {
  const caller = createCaller({ ...pickCall(call), idempotency_key: step.idempotency_key }, step.signal);
  return async ({ path, ...request }) => {
    const address = buildRepositoryPath(repository) + path;
    // Objects of git are named by their content, and a branch is moved only from where it was.
    const effect = 'idempotent';
    const { status, body } = await callJson(caller, repository.connection, {
      ...request,
      path: address,
      effect,
    });
    return { status, body: isJsonObject(body) ? body : {} };
  };
}

const pickCall = ({ services, signal }: Call): Pick<Call, 'services' | 'signal'> => ({ services, signal });

function textAt(body: JsonObject, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw new NodeFailure({ kind: 'upstream', message: `${CODE_HOST} answered without "${key}"` });
}

export const toSubject = (summary: string): string => {
  const line = summary.trim().split('\n')[0]?.trim() ?? '';
  if (line === '') return 'Changes of a coding agent';
  return line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT - 1)}…` : line;
};

/** One commit with all changes. https://docs.github.com/en/rest/git */
async function commit(ask: Ask, publication: Publication): Promise<string> {
  const { base_sha, files, summary, date_ms } = publication;
  const tree = [];
  for (const { path, mode, content } of files) {
    const entry = { path, mode: mode ?? '100644', type: 'blob' };
    const sha = mode === null ? null : await createBlob(ask, content ?? '');
    tree.push({ ...entry, sha });
  }
  const base = await ask({ path: `/git/commits/${base_sha}` });
  const base_tree = isJsonObject(base.body['tree']) ? textAt(base.body['tree'], 'sha') : '';
  const made = await ask({ method: 'POST', path: '/git/trees', body: { base_tree, tree } });
  const author = { ...AUTHOR, date: new Date(date_ms).toISOString() };
  const written = await ask({
    method: 'POST',
    path: '/git/commits',
    body: {
      message: `${toSubject(summary)}\n\n${summary.trim()}\n`,
      tree: textAt(made.body, 'sha'),
      parents: [base_sha],
      author,
      committer: author,
    },
  });
  return textAt(written.body, 'sha');
}

async function createBlob(ask: Ask, content: string): Promise<string> {
  const { body } = await ask({ method: 'POST', path: '/git/blobs', body: { content, encoding: 'base64' } });
  return textAt(body, 'sha');
}

/**
 * Commits the changes and moves the branch to the commit, or makes the branch. Only forward: work of others is never
 * overwritten. Can be repeated.
 */
export async function push(call: Call, step: StepCall, publication: Publication): Promise<string> {
  const { repository, branch, base_sha } = publication;
  const ask = createAsk(call, step, repository);
  const sha = await commit(ask, publication);
  const head = await findHead(call, { repository, branch });
  if (head === sha) return sha;
  if (head === undefined) {
    await ask({ method: 'POST', path: '/git/refs', body: { ref: `refs/heads/${branch}`, sha } });
    return sha;
  }
  if (head !== base_sha) {
    throw new NodeFailure({
      kind: 'upstream',
      final: true,
      field: 'branchName',
      message: `The branch "${branch}" has other commits than the one that the agent began with, so nothing was pushed`,
    });
  }
  const place = branch.split('/').map(encodeURIComponent).join('/');
  await ask({ method: 'PATCH', path: `/git/refs/heads/${place}`, body: { sha, force: false } });
  return sha;
}

interface PullRequest {
  readonly repository: Repository;
  readonly branch: string;
  readonly base: string;
  readonly summary: string;
  readonly draft: boolean;
}

/** Opens a pull request, or finds the one that is open. https://docs.github.com/en/rest/pulls/pulls */
export async function openPull(call: Call, step: StepCall, pull: PullRequest): Promise<string> {
  const { repository, branch, base, summary, draft } = pull;
  const known = await findPullRequest(call, step, { repository, branch });
  if (known !== undefined) return known;
  const ask = createAsk(call, step, repository);
  const body = { title: toSubject(summary), body: summary, head: branch, base, draft };
  const made = await ask({ method: 'POST', path: '/pulls', body });
  return textAt(made.body, 'html_url');
}

/** Address of the open pull request of a branch; undefined when there is none. */
export async function findPullRequest(
  call: Call,
  step: StepCall,
  { repository, branch }: Pick<PullRequest, 'repository' | 'branch'>,
): Promise<string | undefined> {
  const caller = createCaller({ ...pickCall(call), idempotency_key: step.idempotency_key }, step.signal);
  const { body } = await callJson(caller, repository.connection, {
    path: `${buildRepositoryPath(repository)}/pulls`,
    query: { head: `${repository.owner}:${branch}`, state: 'open' },
    effect: 'read',
  });
  const [first] = Array.isArray(body) ? body : [];
  return isJsonObject(first) ? textAt(first, 'html_url') : undefined;
}

/** Fails when a branch cannot have that name (git-check-ref-format(1)). */
export function checkBranch(field: string, name: string): string {
  const branch = name.trim().replace(/^refs\/heads\//, '');
  const wrong = /[\s~^:?*[\\\x7f]|\.\.|@\{|\/\/|\.lock(?:\/|$)|(?:^|\/)\.|[./]$|^[-/@]$|^[-/]/;
  if (branch === '') throw refusedParam(field, 'is empty');
  if (wrong.test(branch))
    throw refusedParam(field, `cannot be "${branch.slice(0, 80)}", which is no name of a branch`);
  return branch;
}
