import { createHash } from 'node:crypto';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import type { TokenUsage } from '@millrace/models';
import type { z } from 'zod';
import type { NodeCall, StepCall } from '../../implement.ts';
import type { Credential } from '../../services.ts';
import { type FileRecord, fileRecord } from '../files/file-record.ts';
import { budgetStopIn } from '../models/budget-stop.ts';
import { watchCalls } from '../models/model-caller.ts';
import { refusedParam } from '../refused-param.ts';
import { DAY_MS } from '../values/units.ts';
import type { CodingAgent, Heard } from './agent.ts';
import type { codingOutput, PublishMode } from './fields.ts';
import type { ChangedFile } from './messages.ts';
import { checkBranch, openPull, type Publication, pullOf, push } from './publish.ts';
import { askPerson, type Reply } from './question.ts';
import { archiveOf, headOf, type Repository, repositoryOf } from './repository.ts';
import { endOf, work, workspaceFolder } from './workspace.ts';

export type CodingParams = {
  readonly credentialId: string;
  readonly githubCredentialId: string;
  readonly repositoryUrl: string;
  readonly baseBranch: string;
  readonly taskPrompt: string;
  readonly publishMode: PublishMode;
  readonly branchName: string;
  readonly setupCommand: string;
  readonly timeoutSeconds: number;
  readonly maxCostUsd?: number | null | undefined;
};

type Call = NodeCall<CodingParams>;
type Status = z.infer<typeof codingOutput.status>;

/** What one round of the agent came to; recorded, so that a finished round is never paid twice. */
interface Round extends JsonObject {
  thread_id: string | null;
  summary: string;
  validation: string;
  question: string;
  diff: string;
  files: ChangedFile[];
  usage: { [name: string]: number };
  /** The agent was stopped because a budget was used up. */
  limit_reached: boolean;
}

export interface CodingResult {
  readonly output: JsonObject;
  readonly patchUrl: string | null;
  readonly pushedBranch: string | null;
}

const MAX_QUESTIONS = 10;
/** A person may answer for as long as a review stays open. */
const ANSWER_MS = 7 * DAY_MS;
const LONGEST_PROMPT = 100_000;
const MOST_LOG_LINES = 300;
const PUSHES: readonly PublishMode[] = [
  'draft_pr',
  'open_pr',
  'commit_push',
  'direct_commit',
  'update_existing_pr',
];

interface Task {
  readonly call: Call;
  readonly agent: CodingAgent;
  readonly repository: Repository;
  /** Branch that the agent begins with, and that of the changes. */
  readonly from: string;
  readonly to: string;
  readonly base_sha: string;
}

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
    const { question, thread_id } = round;
    const answer = await askPerson(call, {
      key: `question-${count}`,
      question,
      title: agent.title,
      // From when it was asked, and not from when the node is called again.
      due_at: await call.step(`asked-${count}`, 'pure', () => call.services.now() + ANSWER_MS),
      output: outputOf(round, { status: 'needs_input' }),
    });
    if (answer === undefined) return unpublished(round, 'needs_input');
    replies.push({ thread_id, question, answer });
  }
}

/** What has been done stays done: a budget that is used up between two rounds ends the node with the last one. */
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
  output: outputOf(round, { status }),
  patchUrl: null,
  pushedBranch: null,
});

async function prepare(call: Call, agent: CodingAgent): Promise<Task> {
  const { params, services } = call;
  requireType(call, await services.credential(params.credentialId));
  if (params.taskPrompt.length > LONGEST_PROMPT) {
    throw refusedParam('taskPrompt', `is longer than ${LONGEST_PROMPT} characters`);
  }
  const host =
    params.githubCredentialId === '' ? undefined : await services.credential(params.githubCredentialId);
  if (host && host.type !== 'github')
    throw refusedParam('githubCredentialId', 'must be a code hosting credential');
  const repository = repositoryOf(params.repositoryUrl, host?.values);
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
    const found = await headOf({ ...asked(call), signal: step.signal }, { repository, branch: from });
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
    async (step) => (await pullOf(call, step, { repository, branch })) ?? null,
  );
  if (url === null) throw refusedParam('branchName', `names "${branch}", which has no open pull request`);
}

/** A folder that every repetition of the node finds again, and no other node. */
const folderOf = ({ idempotency_key }: Call): string =>
  workspaceFolder(createHash('sha256').update(idempotency_key).digest('hex').slice(0, 24));

async function workOnce(task: Task, step: StepCall, replies: readonly Reply[]): Promise<Round> {
  const { call, agent, repository, base_sha } = task;
  const { params, services } = call;
  const { maxCostUsd, ...rest } = params;
  const credential = await services.credential(params.credentialId);
  const hooks = watchCalls(call, step)(credential);
  const model = agent.modelOf(rest);
  const planned = { request_type: 'chat', provider: agent.provider, model } as const;
  await hooks.beforeCall?.({ ...planned, reports_cost: agent.reports_cost });
  const folder = folderOf(call);
  const last = replies.at(-1);
  const prompt = promptOf(params.taskPrompt, replies);
  const invocation = agent.invoke({
    config: credential.values,
    params: rest,
    folder,
    prompt,
    continued: last?.thread_id ? { thread_id: last.thread_id, prompt: last.answer } : undefined,
  });
  const heard = new Transcript(call);
  const started_at_ms = services.now();
  const note = (response: JsonObject | null, error: string | null) =>
    hooks.onCall?.({
      ...planned,
      request: { messages: [{ role: 'user', content: last?.answer ?? prompt }] },
      response,
      error,
      usage: heard.usage,
      ...(agent.reports_cost ? { cost_usd: heard.cost_usd } : {}),
      started_at_ms,
      elapsed_ms: services.now() - started_at_ms,
    });
  try {
    const { files, diff, exit_code, end, is_stopped } = await work(services, {
      invocation,
      setup: params.setupCommand.trim(),
      keeps_contents: PUSHES.includes(params.publishMode),
      folder,
      timeout_ms: params.timeoutSeconds * 1000,
      signal: step.signal,
      title: agent.title,
      fetchArchive: () => archiveOf({ services, signal: step.signal }, { repository, sha: base_sha }),
      onEvent: (event) => {
        heard.take(agent.hear(event));
        // What earlier rounds have cost is checked before a round begins.
        return typeof maxCostUsd === 'number' && heard.cost_usd >= maxCostUsd ? 'stop' : undefined;
      },
      onStage: (stage) => call.progress({ stage }),
    });
    // One that ended before it could be stopped has done its work.
    const limit_reached = is_stopped && exit_code !== 0;
    if (!limit_reached && (exit_code !== 0 || heard.failure !== undefined))
      throw brokenOff(agent, { exit_code, end, failure: heard.failure });
    const answer = agent.readAnswer(heard.last_words);
    note({ text: heard.last_words }, null);
    return { thread_id: heard.thread_id, ...answer, diff, files, usage: heard.totals(), limit_reached };
  } catch (error) {
    note(null, error instanceof NodeFailure ? error.failure.message : 'The agent has failed');
    throw error;
  }
}

function requireType({ node }: Call, { type }: Credential): void {
  const wanted = node.type === 'codex' ? 'codex' : 'opencode';
  if (type !== wanted)
    throw refusedParam('credentialId', `must be of the type ${wanted}, and is of the type ${type}`);
}

function brokenOff(
  { title }: CodingAgent,
  {
    exit_code,
    end,
    failure,
  }: { readonly exit_code: number; readonly end: string; readonly failure: string | undefined },
): NodeFailure {
  const why =
    failure === undefined || failure === ''
      ? `ended with exit code ${exit_code}${endOf(end)}`
      : `failed: ${failure}`;
  return new NodeFailure({ kind: 'upstream', message: `${title} ${why}` });
}

function promptOf(task: string, replies: readonly Reply[]): string {
  const answers = replies.map(({ question, answer }) => `You asked: ${question}\nThe answer is: ${answer}`);
  return [
    task,
    ...answers,
    'Work on the repository in the current folder until the task is done, and check your work. Do not commit and do not push; your changes are read from the files.',
  ].join('\n\n');
}

/** What an agent says while it works. */
class Transcript {
  thread_id: string | null = null;
  last_words = '';
  failure: string | undefined;
  readonly #call: Call;
  #usage: TokenUsage | null = null;
  #cost_usd = 0;
  #lines = 0;

  constructor(call: Call) {
    this.#call = call;
  }

  get usage(): TokenUsage | null {
    return this.#usage;
  }

  /** US dollars, as far as the agent says. */
  get cost_usd(): number {
    return this.#cost_usd;
  }

  take(heard: Heard | undefined): void {
    switch (heard?.kind) {
      case 'thread':
        this.thread_id = heard.id;
        return;
      case 'failed':
        this.failure = heard.message;
        return;
      case 'usage':
        this.#usage = heard.is_total || !this.#usage ? heard.usage : sumOf(this.#usage, heard.usage);
        this.#cost_usd += heard.cost_usd ?? 0;
        return;
      case 'said':
        this.last_words = heard.text;
        this.#tell(heard.text);
        return;
      case 'did':
        this.#tell(heard.text);
        return;
      case undefined:
        return;
      default:
        return heard satisfies never;
    }
  }

  totals(): { [name: string]: number } {
    return { ...this.#usage, ...(this.#cost_usd > 0 ? { cost_usd: this.#cost_usd } : {}) };
  }

  #tell(text: string): void {
    this.#lines += 1;
    const { services } = this.#call;
    if (this.#lines <= MOST_LOG_LINES) services.log('info', text.slice(0, 2_000));
    this.#call.progress({ stage: 'agent', text: text.slice(0, 2_000) });
  }
}

const sumOf = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
  total_tokens: a.total_tokens + b.total_tokens,
  cached_tokens: (a.cached_tokens ?? 0) + (b.cached_tokens ?? 0),
});

async function finish(task: Task, round: Round): Promise<CodingResult> {
  const { publishMode } = task.call.params;
  const output = outputOf(round, { status: 'completed' });
  if (round.files.length === 0 || publishMode === 'diff_only') return unpublished(round, 'completed');
  if (publishMode === 'patch_artifact') {
    const patch = await storePatch(task, round.diff);
    return { output: { ...output, patch }, patchUrl: patch.download_url, pushedBranch: null };
  }
  const pushedBranch = task.to;
  await task.call.step('push', 'idempotent', (step) => push(task.call, step, publicationOf(task, round)));
  const pullRequestUrl = await pullRequestOf(task, round);
  return { output: { ...output, branchName: pushedBranch, pullRequestUrl }, patchUrl: null, pushedBranch };
}

const publicationOf = ({ call, repository, to, base_sha }: Task, { summary, files }: Round): Publication => ({
  repository,
  branch: to,
  base_sha,
  summary,
  files,
  date_ms: call.started_at_ms,
});

const storePatch = ({ call }: Task, diff: string): Promise<FileRecord> =>
  call.step('patch', 'idempotent', async ({ idempotency_key }) => {
    const body = once(new TextEncoder().encode(diff));
    return fileRecord(
      await call.services.files.store({ filename: 'changes.patch', body, key: idempotency_key }),
    );
  });

/** Opens the pull request that the node is to open, or finds the one that was updated. */
async function pullRequestOf(
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
        async (step) => (await pullOf(call, step, { repository, branch: to })) ?? null,
      );
    default:
      return null;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function outputOf(
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
