import { isJsonObject, type JsonObject, parseExactJson, readTextAt } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { type Answer, type Assignment, type CodingAgent, countIn, type Heard } from '../kit/coding/agent.ts';
import type { Invocation } from '../kit/coding/workspace.ts';

const PACKAGE = '@openai/codex@0.171.0';
const COMMAND = '@openai/codex/bin/codex.js';
const SCHEMA = 'answer.schema.json';

/** Keys of the API begin like this; everything else is the token of a sign-in. */
const API_KEY = /^sk-/;

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

function invoke({ config, params, folder, prompt, continued }: Assignment): Invocation {
  const token = readConfigText(config, 'access_token');
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
      CODEX_HOME: `${folder}/home`,
      ...(API_KEY.test(token) ? { CODEX_API_KEY: token } : { CODEX_ACCESS_TOKEN: token }),
    },
    // Its events do not name the model, which Codex chooses when none is given.
    session: { folder: 'home/sessions', type: 'turn_context' },
    files: { [SCHEMA]: JSON.stringify(ANSWER_SCHEMA) },
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
