import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { mcpConnection } from '../kit/mcp/connection.ts';
import { modelProblems } from '../kit/models/model-problems.ts';
import { modelParams } from '../kit/models/params/model-params.ts';
import { pathProblem } from '../kit/scripts/skill-path.ts';
import { numeric, optionalNumeric } from '../kit/values/numeric.ts';
import { searchCredentials } from './credential.ts';

const LATER = { kind: 'hidden' } as const;
const TOOLS = { group: 'Tools' } as const;
const MEMORY = { group: 'Memory' } as const;
const REVIEW = { group: 'Human review' } as const;

/** A name that Python and all providers of models take. */
const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const pythonTool = z.looseObject({
  name: z.string().regex(FUNCTION_NAME, { error: 'must be the name of the function, such as get_price' }),
  description: z.string().default(''),
  /** JSON Schema of its arguments, also as text. */
  parameters: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
  code: z.string().regex(/\S/, { error: 'is empty; write a function of that name' }),
});

const skillFile = z.looseObject({
  path: z
    .string()
    .default('')
    .refine((path) => pathProblem(path) === undefined, {
      error: (issue) => pathProblem(String(issue.input)),
    }),
  content: z.string().default(''),
  encoding: z.string().default('text'),
});

const skills = field
  .custom(
    z.array(
      z.looseObject({
        name: z.string().default(''),
        content: z.string().default(''),
        files: z.array(skillFile).default([]),
        timeoutSeconds: numeric('Timeout', { min: 1, max: 3_600 }).default(30),
        /** A skill of the library, in place of the text and the files. */
        librarySkillId: z.string().default(''),
        /** Absent or null: always the newest one. */
        libraryVersion: z.int().min(1).max(2_147_483_647).nullish(),
      }),
    ),
    'Skills',
    {
      kind: 'skills',
      ...TOOLS,
      help: 'Tasks that the agent should master: a text that is put before its instruction, and files. A skill with a Python script is a tool, too.',
    },
  )
  .default([]);

const memory = {
  persistentMemoryEnabled: field
    .boolean('Remember across runs', {
      ...MEMORY,
      help: 'The agent keeps facts from each run and uses those that fit the next message. Costs one more call of the model.',
    })
    .default(false),
  memoryPerConversation: field
    .boolean('Separate memory for portal conversations', {
      ...MEMORY,
      help: 'What visitors of a chat portal tell the agent is kept for their conversation alone, and deleted with it. Off: all conversations add to the one memory of the agent.',
      shown_when: [{ field: 'persistentMemoryEnabled', is: [true] }],
    })
    .default(true),
  memoryShares: field
    .custom(z.array(z.looseObject({})), 'Memory', {
      kind: 'agent_memory',
      ...MEMORY,
      shown_when: [{ field: 'persistentMemoryEnabled', is: [true] }],
    })
    .default([]),
};

const tools = {
  tools: field
    .custom(z.array(pythonTool), 'Python tools', {
      kind: 'python_tools',
      ...TOOLS,
      help: 'Functions that the agent may call. Each call runs in a separate sandbox without network.',
    })
    .default([]),
  mcpConnections: field
    .custom(
      z.array(
        mcpConnection.extend({ timeoutSeconds: numeric('Timeout', { min: 1, max: 3_600 }).optional() }),
      ),
      'MCP servers',
      { kind: 'mcp_connections', ...TOOLS, help: 'The agent may use every tool of these servers.' },
    )
    .default([]),
  subWorkflowIds: field
    .custom(
      z.array(field.custom(z.string(), 'Workflow', { kind: 'workflow' })),
      'Workflows that the agent may run',
      { kind: 'workflows', ...TOOLS },
    )
    .default([]),
  subWorkflowNames: field.custom(z.record(z.string(), z.string()), 'Names of workflows', LATER).default({}),
  isOrchestrator: field
    .boolean('May ask other agents', {
      ...TOOLS,
      help: 'The agents named below run only when this one asks them.',
    })
    .default(false),
  subAgentLabels: field
    .custom(z.array(field.text('Agent', { kind: 'node_label' })), 'Agents that it may ask', {
      kind: 'agent_labels',
      ...TOOLS,
      shown_when: [{ field: 'isOrchestrator', is: [true] }],
    })
    .default([]),
  toolTimeoutSeconds: numeric('Timeout per tool (seconds)', {
    min: 1,
    max: 3_600,
    ...TOOLS,
    help: 'For nodes on the tool handle, Python tools, web pages and web search. MCP servers and skills have their own, and so have nodes that ask a model or wait.',
  }).default(30),
};

const web = {
  webFetchEnabled: field
    .boolean('Read web pages', {
      ...TOOLS,
      help: 'The agent may read pages and text files of the web by their addresses, up to 5 MB each.',
    })
    .default(false),
  webFetchHosts: field
    .text('Only these hosts', {
      ...TOOLS,
      placeholder: 'docs.example.com, example.org',
      help: 'With their subdomains. Empty: every public host, so that a page could lure the agent into putting what it knows into an address.',
      shown_when: [{ field: 'webFetchEnabled', is: [true] }],
    })
    .default(''),
  webSearchCredentialId: field
    .text('Web search', {
      kind: 'credential',
      credential_types: searchCredentials.map(({ type }) => type),
      ...TOOLS,
      help: 'The service with which the agent may search the web. Empty: it does not search.',
    })
    .default(''),
};

const limits = {
  maxToolIterations: numeric('Answers with tools', {
    min: 1,
    max: 1_000,
    integer: true,
    group: 'Limits',
    help: 'After that many the model has to answer without tools.',
  }).default(30),
  maxRunSeconds: optionalNumeric('Time (seconds)', {
    min: 1,
    max: 604_800,
    group: 'Limits',
    help: 'Without the time that it waits for people. Empty: no limit of its own.',
  }),
  maxTotalTokens: optionalNumeric('Tokens of all calls', {
    min: 1,
    max: 1_000_000_000,
    integer: true,
    group: 'Limits',
    help: 'Counted as the provider counts them. Empty: no limit.',
  }),
  contextWindowTokens: numeric('Context window of the model (tokens)', {
    min: 1_000,
    max: 100_000_000,
    integer: true,
    group: 'Limits',
    help: 'At 80 % of it, older results of tools are summarised.',
  }).default(128_000),
};

const toolReview = z.looseObject({
  /** Name of the tool, label of its node or name of its skill; `*` for every tool. */
  tool: field.custom(z.string().regex(/\S/, { error: 'is empty; choose a tool' }), 'Tool', {
    kind: 'node_label',
  }),
  mode: z.enum(['always', 'once']).default('always'),
});

const review = {
  hitlEnabled: field
    .boolean('Ask a person', {
      ...REVIEW,
      help: 'The agent can send a draft for review, and waits for the decision.',
    })
    .default(false),
  hitlSummary: field
    .template('When it asks', {
      kind: 'multiline',
      ...REVIEW,
      placeholder: 'Ask before anything is sent to a customer.',
      shown_when: [{ field: 'hitlEnabled', is: [true] }],
    })
    .default(''),
  mcpApprovalMode: field
    .choice('Approval of MCP calls', ['', 'always', 'once', 'never'], {
      ...REVIEW,
      choices: [
        { value: '', title: 'Not set (before every call)' },
        { value: 'always', title: 'Before every call' },
        { value: 'once', title: 'Before the first call of each tool' },
        { value: 'never', title: 'Never' },
      ],
      shown_when: [{ field: 'hitlEnabled', is: [true] }],
    })
    .default(''),
  toolReviews: field
    .custom(z.array(toolReview), 'Review before use', {
      kind: 'tool_reviews',
      ...REVIEW,
      help: 'A person sees the arguments and accepts, edits or refuses them before the tool is used.',
      shown_when: [{ field: 'hitlEnabled', is: [true] }],
    })
    .default([]),
  reviewAfterOutsideContent: field
    .boolean('Review after content from outside', {
      ...REVIEW,
      help: 'Once the agent, or any part of the run before it, has read pages, mails or other services, a person has to agree to each tool that may change or send something.',
      shown_when: [{ field: 'hitlEnabled', is: [true] }],
    })
    .default(false),
};

export const agent = defineNode({
  type: 'agent',
  title: 'AI Agent',
  family: 'ai',
  summary: 'A language model that uses tools until its task is done.',
  search_words: ['openai', 'chatgpt', 'claude', 'tools agent'],
  icon: 'bot',
  credentials: searchCredentials,
  params: z.object({ ...modelParams, ...tools, ...web, skills, ...memory, ...review, ...limits }),
  initial: { label: 'agent', userMessage: '$input.text', temperature: 0.7 },
  ports: ({ hitlEnabled }) => ({
    inputs: ['input', 'tool-input'],
    outputs: hitlEnabled === true ? ['output', 'hitl'] : ['output'],
    at_pause: hitlEnabled === true ? ['hitl'] : [],
  }),
  problems: modelProblems,
  effect: 'steps',
  traits: { as_tool: false },
});
