import { createHash } from 'node:crypto';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import type { NodeCall, StepCall } from '../../implement.ts';
import { watchCalls } from '../models/model-caller.ts';
import type { CodingAgent } from './agent.ts';
import type { PublishMode } from './fields.ts';
import type { ChangedFile } from './messages.ts';
import type { Reply } from './question.ts';
import { downloadArchive, type Repository } from './repository.ts';
import { Transcript } from './transcript.ts';
import { formatTail, type Invocation, work, workspaceFolder } from './workspace.ts';

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

/** Ways that push to the code host. */
export const PUSHES: readonly PublishMode[] = [
  'draft_pr',
  'open_pr',
  'commit_push',
  'direct_commit',
  'update_existing_pr',
];

export interface Task {
  readonly call: Call;
  readonly agent: CodingAgent;
  readonly repository: Repository;
  /** Branch that the agent begins with, and that of the changes. */
  readonly from: string;
  readonly to: string;
  readonly base_sha: string;
}

/** The outcome of one round of the agent; recorded, so that a finished round is never paid twice. */
export interface Round extends JsonObject {
  thread_id: string | null;
  /** The model that the agent used, if it reported one. */
  model?: string;
  summary: string;
  validation: string;
  question: string;
  diff: string;
  files: ChangedFile[];
  usage: { [name: string]: number };
  /** The agent was stopped because a budget was used up. */
  limit_reached: boolean;
}

/** A folder that every repetition of the node finds again, and no other node. */
const buildFolderPath = ({ idempotency_key }: Call): string =>
  workspaceFolder(createHash('sha256').update(idempotency_key).digest('hex').slice(0, 24));

/**
 * Lets the agent work until it is done, asks or is stopped by a budget, and keeps a trace of it.
 *
 * @throws NodeFailure
 */
export async function workOnce(task: Task, step: StepCall, replies: readonly Reply[]): Promise<Round> {
  const { call, agent } = task;
  const { params, services } = call;
  const credential = await services.credential(params.credentialId);
  const hooks = watchCalls(call, step)(credential);
  const { maxCostUsd: _budget, ...settings } = params;
  const last = replies.at(-1);
  const model = last?.model ?? agent.readModel(settings);
  const planned = { request_type: 'chat', provider: agent.provider, model } as const;
  await hooks.beforeCall?.({ ...planned, reports_cost: agent.reports_cost });
  const folder = buildFolderPath(call);
  const prompt = buildPrompt(params.taskPrompt, replies);
  const invocation = agent.invoke({
    config: credential.values,
    params: settings,
    now_ms: services.now(),
    folder,
    prompt,
    continued: last?.thread_id ? { thread_id: last.thread_id, prompt: last.answer } : undefined,
  });
  const heard = new Transcript(call);
  const started_at_ms = services.now();
  const note = (response: JsonObject | null, error: string | null) =>
    hooks.onCall?.({
      ...planned,
      model: heard.model ?? model,
      request: { messages: [{ role: 'user', content: last?.answer ?? prompt }] },
      response,
      error,
      usage: heard.usage,
      ...(agent.reports_cost ? { cost_usd: heard.cost_usd } : {}),
      started_at_ms,
      elapsed_ms: services.now() - started_at_ms,
    });
  try {
    const round = await hearRound(task, { invocation, folder, heard, signal: step.signal });
    note({ text: heard.last_words }, null);
    return round;
  } catch (error) {
    note(null, error instanceof NodeFailure ? error.failure.message : 'The agent has failed');
    throw error;
  }
}

interface Started {
  readonly invocation: Invocation;
  readonly folder: string;
  readonly heard: Transcript;
  readonly signal: AbortSignal;
}

async function hearRound(
  { call, agent, repository, base_sha }: Task,
  { invocation, folder, heard, signal }: Started,
): Promise<Round> {
  const { params, services } = call;
  const { maxCostUsd } = params;
  const { files, diff, exit_code, end, is_stopped } = await work(services, {
    invocation,
    setup: params.setupCommand.trim(),
    keeps_contents: PUSHES.includes(params.publishMode),
    folder,
    timeout_ms: params.timeoutSeconds * 1000,
    signal,
    title: agent.title,
    fetchArchive: () => downloadArchive({ services, signal }, { repository, sha: base_sha }),
    onEvent: (event) => {
      heard.take(agent.hear(event));
      // The cost of earlier rounds is checked before a round begins.
      return typeof maxCostUsd === 'number' && heard.cost_usd >= maxCostUsd ? 'stop' : undefined;
    },
    onStage: (stage) => call.progress({ stage }),
  });
  // One that ended before it could be stopped has done its work.
  const limit_reached = is_stopped && exit_code !== 0;
  if (!limit_reached && (exit_code !== 0 || heard.failure !== undefined))
    throw brokenOff(agent, { exit_code, end, failure: heard.failure });
  const answer = agent.readAnswer(heard.last_words);
  const model = heard.model === undefined ? {} : { model: heard.model };
  return {
    thread_id: heard.thread_id,
    ...model,
    ...answer,
    diff,
    files,
    usage: heard.totals(),
    limit_reached,
  };
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
      ? `ended with exit code ${exit_code}${formatTail(end)}`
      : `failed: ${failure}`;
  return new NodeFailure({ kind: 'upstream', message: `${title} ${why}` });
}

function buildPrompt(task: string, replies: readonly Reply[]): string {
  const answers = replies.map(({ question, answer }) => `You asked: ${question}\nThe answer is: ${answer}`);
  return [
    task,
    ...answers,
    'Work on the repository in the current folder until the task is done, and check your work. Do not commit and do not push; your changes are read from the files.',
  ].join('\n\n');
}
