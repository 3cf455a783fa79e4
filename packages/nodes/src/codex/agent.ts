import { isJsonObject, type JsonObject, NodeFailure, parseExactJson, readTextAt } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { type Answer, type Assignment, type CodingAgent, countIn, type Heard } from '../kit/coding/agent.ts';
import type { Invocation } from '../kit/coding/workspace.ts';
import { signsIn } from './credential.ts';

const PACKAGE = '@openai/codex@0.171.0';
const COMMAND = '@openai/codex/bin/codex.js';
const SCHEMA = 'answer.schema.json';
const HOME = 'home';

/** Keys of the API begin like this; everything else is an access token of an account. */
const API_KEY = /^sk-/;

/** Claim of the identity of a sign-in that names the account. */
const ACCOUNT_CLAIM = 'https://api.openai.com/auth';

const ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'summary', 'validation', 'question'],
  properties: {
    status: { type: 'string', enum: ['completed', 'needs_input'] },
    summary: { type: 'string', description: 'What was changed and why, as Markdown' },
    validation: { type: 'string', description: 'Which checks were run, with their results' },
    question: { type: 'string', description: 'What a person has to answer first; empty when completed' },
  },
};

const LONGEST_NAME = 200;

/** Options and events as `codex exec --help` and `codex exec --json` of that version have them. */
export const codexAgent: CodingAgent = {
  title: 'Codex',
  provider: 'openai',
  reports_cost: false,
  readModel: (params) => readTextAt(params, 'codexModel').trim() || 'codex',
  invoke,
  hear,
  readAnswer,
};

/**
 * The file `auth.json` as `codex login` leaves it, but without the refresh token: that can be used once, and this service keeps
 * it. With this `last_refresh` the agent renews nothing.
 */
function buildSignIn({ config, now_ms }: Pick<Assignment, 'config' | 'now_ms'>): string | undefined {
  const id_token = readConfigText(config, 'id_token');
  if (!signsIn(config) || id_token === '') return undefined;
  const account = readClaims(id_token)[ACCOUNT_CLAIM];
  return JSON.stringify({
    OPENAI_API_KEY: null,
    tokens: {
      id_token,
      access_token: readConfigText(config, 'access_token'),
      refresh_token: '',
      account_id: isJsonObject(account) ? readTextAt(account, 'chatgpt_account_id') : '',
    },
    last_refresh: new Date(now_ms).toISOString(),
  });
}

/** Of a token that came straight from the provider (RFC 7519 section 3), so its signature is not looked at. */
function readClaims(token: string): JsonObject {
  try {
    const claims = parseExactJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isJsonObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

const notConnected = () =>
  new NodeFailure({
    kind: 'credential',
    message: 'The credential is not connected yet; sign in on the credentials page',
    field: 'credentialId',
    final: true,
  });

function buildTokenVariable(token: string): Record<string, string> {
  return API_KEY.test(token) ? { CODEX_API_KEY: token } : { CODEX_ACCESS_TOKEN: token };
}

function invoke(assignment: Assignment): Invocation {
  const { config, params, folder, prompt, continued } = assignment;
  const token = readConfigText(config, 'access_token');
  if (token === '') throw notConnected();
  const signIn = buildSignIn(assignment);
  const model = readTextAt(params, 'codexModel').trim();
  // The container is the sandbox; within it the agent has no one to ask for permission.
  const options = [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    '-C',
    `${folder}/work`,
    '--output-schema',
    `${folder}/${SCHEMA}`,
    '-c',
    `model_reasoning_effort=${JSON.stringify(readTextAt(params, 'codexReasoningEffort'))}`,
    ...(model === '' ? [] : ['-m', model]),
  ];
  return {
    requirements: [PACKAGE],
    commands: [COMMAND],
    variables: {
      // It refuses to begin without its folder.
      CODEX_HOME: `${folder}/${HOME}`,
      ...(signIn === undefined ? buildTokenVariable(token) : {}),
    },
    // Its events do not name the model, which Codex chooses when none is given.
    session: { folder: `${HOME}/sessions`, type: 'turn_context' },
    files: { [SCHEMA]: JSON.stringify(ANSWER_SCHEMA) },
    secret_files: { [`${HOME}/auth.json`]: signIn ?? null },
    fresh: { args: [...options, '-'], input: prompt },
    ...(continued
      ? { continued: { args: [...options, 'resume', continued.thread_id, '-'], input: continued.prompt } }
      : {}),
  };
}

function hear(event: JsonObject): Heard | undefined {
  const inside = (key: string) => (isJsonObject(event[key]) ? event[key] : undefined);
  switch (event['type']) {
    case 'thread.started':
      return { kind: 'thread', id: readTextAt(event, 'thread_id') };
    case 'item.completed':
      return heardItem(inside('item'));
    case 'turn.completed': {
      const usage = inside('usage');
      const [prompt_tokens, completion_tokens] = [
        countIn(usage, 'input_tokens'),
        countIn(usage, 'output_tokens'),
      ];
      return {
        kind: 'usage',
        is_total: true,
        usage: {
          prompt_tokens,
          completion_tokens,
          total_tokens: prompt_tokens + completion_tokens,
          cached_tokens: countIn(usage, 'cached_input_tokens'),
        },
      };
    }
    case 'turn_context': {
      const used = readTextAt(inside('payload'), 'model').slice(0, LONGEST_NAME);
      return used === '' ? undefined : { kind: 'model', model: used };
    }
    case 'turn.failed':
      return { kind: 'failed', message: readTextAt(inside('error'), 'message') };
    default:
      return undefined;
  }
}

function heardItem(item: JsonObject | undefined): Heard | undefined {
  switch (item?.['type']) {
    case 'agent_message':
      return { kind: 'said', text: readTextAt(item, 'text') };
    case 'command_execution':
      return { kind: 'did', text: `$ ${readTextAt(item, 'command')}` };
    case 'error':
      return { kind: 'did', text: readTextAt(item, 'message') };
    default:
      return undefined;
  }
}

/** A model may write around what the schema asks for; its text is the summary then. */
function readAnswer(text: string): Answer {
  try {
    const value: unknown = parseExactJson(text);
    if (isJsonObject(value)) {
      const isOpen = value['status'] === 'needs_input';
      const question = readTextAt(value, 'question');
      const summary = readTextAt(value, 'summary');
      return {
        summary,
        validation: readTextAt(value, 'validation'),
        question: isOpen ? question || summary : '',
      };
    }
  } catch {
    // Falls through to the text as it is.
  }
  return { summary: text, validation: '', question: '' };
}
