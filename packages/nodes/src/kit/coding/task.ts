import { type JsonObject, NodeFailure } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import type { z } from 'zod';
import type { NodeCall } from '../../implement.ts';
import type { Credential } from '../../services.ts';
import { type FileRecord, fileRecord } from '../files/file-record.ts';
import { yieldOnce } from '../files/yield-once.ts';
import { budgetStopIn } from '../models/budgets/budget-stop.ts';
import { refusedParam } from '../refused-param.ts';
import type { CodingAgent } from './agent.ts';
import type { codingOutput } from './fields.ts';
import { checkBranch, findPullRequest, openPull, type Publication, push } from './publish.ts';
import { askPerson, type Reply } from './question.ts';
import { findHead, type Repository, resolveRepository } from './repository.ts';
import { type CodingParams, PUSHES, type Round, type Task, workOnce } from './round.ts';

type Call = NodeCall<CodingParams>;
type Status = z.infer<typeof codingOutput.status>;

export interface CodingResult {
  readonly output: JsonObject;
  readonly patchUrl: string | null;
  readonly pushedBranch: string | null;
}

const MAX_QUESTIONS = 10;
/** A person may answer for as long as a review stays open. */
const ANSWER_MS = 7 * DAY_MS;
/** Bytes. It may be an argument of a program, of which Linux takes at most 128 KB. */
const LONGEST_PROMPT = 100_000;
/** Lets a coding agent work on a repository, asks a person what it asks, and publishes what it has changed. */
export async function runCodingTask(call: Call, agent: CodingAgent): Promise<CodingResult> {
  const task = await prepare(call, agent);
  const replies: Reply[] = [];
  let last: Round | undefined;
  for (let count = 1; ; count++) {
    const round = await nextRound(task, { count, replies, last });
    last = round;
    if (round.limit_reached) return unpublished(round, 'limit_reached');
    if (round.question === '') return finish(task, round);
    if (count > MAX_QUESTIONS) {
      throw new NodeFailure({
        kind: 'limit',
        message: `${agent.title} asked more than ${MAX_QUESTIONS} questions`,
      });
    }
    const { question, thread_id, model } = round;
    const answer = await askPerson(call, {
      key: `question-${count}`,
      question,
      title: agent.title,
      // From when it was asked, and not from when the node is called again.
      due_at: await call.step(`asked-${count}`, 'pure', () => call.services.now() + ANSWER_MS),
      output: buildOutput(round, { status: 'needs_input' }),
    });
    if (answer === undefined) return unpublished(round, 'needs_input');
    replies.push({ thread_id, model, question, answer });
  }
}

/** Finished work stays done: a budget that is used up between two rounds ends the node with the last one. */
async function nextRound(
  task: Task,
  { count, replies, last }: { count: number; replies: readonly Reply[]; last: Round | undefined },
): Promise<Round> {
  try {
    return await task.call.step<Round>(`work-${count}`, 'idempotent', (step) =>
      workOnce(task, step, replies),
    );
  } catch (error) {
    if (!last || !budgetStopIn(error)) throw error;
    return { ...last, limit_reached: true };
  }
}

const unpublished = (round: Round, status: Status): CodingResult => ({
  output: buildOutput(round, { status }),
  patchUrl: null,
  pushedBranch: null,
});

async function prepare(call: Call, agent: CodingAgent): Promise<Task> {
  const { params, services } = call;
  requireType(call, await services.credential(params.credentialId));
  if (Buffer.byteLength(params.taskPrompt) > LONGEST_PROMPT) {
    throw refusedParam('taskPrompt', `is longer than ${LONGEST_PROMPT} bytes in UTF-8`);
  }
  const host =
    params.githubCredentialId === '' ? undefined : await services.credential(params.githubCredentialId);
  if (host && host.type !== 'github')
    throw refusedParam('githubCredentialId', 'must be a code hosting credential');
  const repository = resolveRepository(params.repositoryUrl, host?.values);
  const { publishMode } = params;
  if (PUSHES.includes(publishMode) && !repository.has_token) {
    throw refusedParam(
      'githubCredentialId',
      'is needed to publish changes; choose a code hosting credential',
    );
  }
  const base = checkBranch('baseBranch', params.baseBranch);
  const own =
    publishMode === 'direct_commit' || !PUSHES.includes(publishMode)
      ? base
      : checkBranch('branchName', params.branchName);
  if ((publishMode === 'draft_pr' || publishMode === 'open_pr') && own === base) {
    throw refusedParam('branchName', `must not be "${own}", which is the base branch`);
  }
  const from = publishMode === 'update_existing_pr' ? own : base;
  const base_sha = await call.step('base', 'read', async (step) => {
    const found = await findHead({ ...asked(call), signal: step.signal }, { repository, branch: from });
    if (found !== undefined) return found;
    const field = from === base ? 'baseBranch' : 'branchName';
    throw refusedParam(
      field,
      `names the branch "${from}", which is not in ${repository.owner}/${repository.name}`,
    );
  });
  if (publishMode === 'update_existing_pr') await requirePull(call, repository, own);
  return { call, agent, repository, from, to: own, base_sha };
}

const asked = ({ services, idempotency_key }: Call): Pick<Call, 'services' | 'idempotency_key'> => ({
  services,
  idempotency_key,
});

async function requirePull(call: Call, repository: Repository, branch: string): Promise<void> {
  const url = await call.step<string | null>(
    'existing',
    'read',
    async (step) => (await findPullRequest(call, step, { repository, branch })) ?? null,
  );
  if (url === null) throw refusedParam('branchName', `names "${branch}", which has no open pull request`);
}

function requireType({ node }: Call, { type }: Credential): void {
  const wanted = node.type === 'codex' ? 'codex' : 'opencode';
  if (type !== wanted)
    throw refusedParam('credentialId', `must be of the type ${wanted}, and is of the type ${type}`);
}

async function finish(task: Task, round: Round): Promise<CodingResult> {
  const { publishMode } = task.call.params;
  const output = buildOutput(round, { status: 'completed' });
  if (round.files.length === 0 || publishMode === 'diff_only') return unpublished(round, 'completed');
  if (publishMode === 'patch_artifact') {
    const patch = await storePatch(task, round.diff);
    return { output: { ...output, patch }, patchUrl: patch.download_url, pushedBranch: null };
  }
  const pushedBranch = task.to;
  await task.call.step('push', 'idempotent', (step) => push(task.call, step, buildPublication(task, round)));
  const pullRequestUrl = await openPullRequest(task, round);
  return { output: { ...output, branchName: pushedBranch, pullRequestUrl }, patchUrl: null, pushedBranch };
}

const buildPublication = (
  { call, repository, to, base_sha }: Task,
  { summary, files }: Round,
): Publication => ({
  repository,
  branch: to,
  base_sha,
  summary,
  files,
  date_ms: call.started_at_ms,
});

const storePatch = ({ call }: Task, diff: string): Promise<FileRecord> =>
  call.step('patch', 'idempotent', async ({ idempotency_key }) => {
    const body = yieldOnce(new TextEncoder().encode(diff));
    return fileRecord(
      await call.services.files.store({ filename: 'changes.patch', body, key: idempotency_key }),
    );
  });

/** Opens the pull request that the node is to open, or finds the one that was updated. */
async function openPullRequest(
  { call, repository, from, to }: Task,
  { summary }: Round,
): Promise<string | null> {
  switch (call.params.publishMode) {
    case 'draft_pr':
    case 'open_pr': {
      const draft = call.params.publishMode === 'draft_pr';
      return call.step('pull_request', 'idempotent', (step) =>
        openPull(call, step, { repository, branch: to, base: from, summary, draft }),
      );
    }
    case 'update_existing_pr':
      return call.step<string | null>(
        'pull_request',
        'read',
        async (step) => (await findPullRequest(call, step, { repository, branch: to })) ?? null,
      );
    default:
      return null;
  }
}

function buildOutput(
  { summary, validation, diff, files, thread_id, usage }: Round,
  { status }: { readonly status: Status },
): JsonObject {
  return {
    status,
    summary,
    validation,
    diff,
    changedFiles: files.map(({ path }) => path),
    threadId: thread_id,
    branchName: null,
    pullRequestUrl: null,
    usage,
  };
}
