import { Readable } from 'node:stream';
import { historyRows, type JsonObject } from '@millrace/engine';
import {
  chatStream,
  type FakeProvider,
  fakeBatches,
  imagesReply,
  json,
  startFakeProvider,
} from '@millrace/models/testing';
import { catalog } from '@millrace/nodes/catalog';
import type { Egress } from '@millrace/nodes/runtime';
import { emptyDrive } from '@millrace/nodes/testing';
import { CodeHost, HOST_TOKEN } from '@millrace/nodes/testing/code-host';
import { type McpTestServer, startMcpServer } from '@millrace/nodes/testing/mcp-server';
import { streamingEgress } from '@millrace/nodes/testing/real-egress';
import { type Sitting, scriptedAgent } from '@millrace/nodes/testing/scripted-agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSecrets } from '../../../../ports/run/run-secrets.ts';
import { graph } from '../../../../resources/executions/testing/workflows.ts';
import {
  createRequest,
  createTestEnvironment,
  noRunSecrets,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../../../testing/run-environment.ts';
import type { PublishedWorkflow } from '../../../workflows/published-workflow.ts';
import { resumeRun, startRun } from '../../start/run-workflow.ts';
import { type Death, mortal } from './testing/mortal-process.ts';

/** Other processes bring every run to its end, and every open wait is decided. */
async function endElsewhere(environment: TestEnvironment): Promise<void> {
  const { journal, ownership, workflows } = environment;
  for (;;) {
    const claimed = await ownership.claim(100);
    const handles = claimed.map(async ({ run_id, workflow_id }) => {
      const stored = await journal.load(run_id);
      const workflow = await workflows.pinned(workflow_id, '');
      if (!stored || !workflow) throw new Error(`no run ${run_id}`);
      return (await resumeRun(environment, stored, workflow)).finished;
    });
    await Promise.all(handles);
    const open = [...journal.runs].flatMap(([run_id, { waits, final }]) =>
      final ? [] : waits.filter((wait) => !wait.decision).map((wait) => ({ run_id, wait })),
    );
    for (const { run_id, wait } of open) {
      const { node_id, iteration, key, kind } = wait;
      const place = { node_id, iteration, key };
      if (kind === 'callback')
        await ownership.resume(run_id, { ...place, decision: 'called', data: { body: 'yes' } });
      if (kind === 'review')
        await ownership.resume(run_id, { ...place, decision: 'edited', data: { edited_text: 'yes' } });
      if (kind === 'review') await ownership.resume(run_id, { ...place, decision: 'accepted', data: {} });
      if (kind === 'upload')
        await ownership.resume(run_id, { ...place, decision: 'uploaded', data: { file: { id: '1' } } });
      if (kind === 'timer' || kind === 'batch')
        await ownership.resume(run_id, { ...place, decision: 'timed_out', data: null });
    }
    const isOver = [...journal.runs.values()].every(({ final }) => final !== null);
    if (isOver) return;
    if (claimed.length === 0 && open.length === 0) throw new Error('a run is stuck');
  }
}

/** Everything left of all runs, without times and ids. */
const traces = (environment: TestEnvironment) =>
  [...environment.journal.runs.values()]
    .map(({ final, records }) => ({
      status: final?.status,
      outputs: final?.outputs,
      nodes: historyRows(records)
        .map((row) => `${row.node_id}:${row.status}`)
        .toSorted(),
    }))
    .toSorted((one, two) => one.nodes.length - two.nodes.length);

interface Case {
  readonly publish: (environment: TestEnvironment) => PublishedWorkflow;
  readonly options?: TestEnvironmentOptions;
}

async function runWithDeath({ publish, options }: Case, death: Death) {
  const environment = createTestEnvironment(options);
  const request = createRequest(publish(environment), { text: 'hi' });
  const { process, died, isDead } = mortal(environment, death);
  const ended = Promise.resolve(startRun(process, request)).then((handle) => handle.finished);
  await Promise.race([ended, died]);
  for (const [run_id, { state }] of environment.journal.runs)
    if (state === 'running') environment.journal.crash(run_id);
  await endElsewhere(environment);
  return { environment, died: isDead() };
}

const CALLBACK = graph(
  [
    ['start', 'textInput'],
    ['ask', 'callback'],
    ['send', 'set', { mappings: [{ key: 'has_link', value: '$ask.url != null' }] }],
    ['out', 'output', { message: '$ask.body' }],
  ],
  ['start>ask', 'ask:waiting>send', 'ask:called>out'],
);

const REVIEW = graph(
  [
    ['start', 'textInput'],
    ['ask', 'humanReview', { draft: '$start.text' }],
    ['send', 'set', { mappings: [{ key: 'has_link', value: '$ask.reviewUrl != null' }] }],
    ['out', 'output', { message: '$ask.originalDraft became $ask.text' }],
  ],
  ['start>ask', 'ask:review>send', 'ask:accepted>out'],
);

const pausing = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
      ['out', 'output', { message: '$start.text' }],
    ],
    ['start>pause', 'pause>out'],
  );

/** By the end of the path, without its query; other calls are answered by a model. */
const ANSWERS: Record<string, JsonObject> = {
  '/systemone': { model: 'small', answers: { urgent: { type: 'noul', noul: 0.9 } } },
  '/dispatches': { workflow_run_id: 9 },
  '/actions/runs/9': { id: 9, status: 'completed', conclusion: 'success' },
  '/workflows/ci.yml/runs': { workflow_runs: [] },
};

let tools: McpTestServer;
let models: FakeProvider;
const batches = fakeBatches();
beforeAll(async () => {
  tools = await startMcpServer();
  models = await startFakeProvider((call) => {
    const { path, body } = call;
    if (path.endsWith('/images/generations')) return imagesReply(call);
    if (/\/(batches|files)\b/.test(path)) return batches.reply(call);
    const [place = ''] = path.split('?');
    const [, answer] = Object.entries(ANSWERS).find(([end]) => place.endsWith(end)) ?? [];
    if (answer) return json(answer);
    const model = String(body?.['model']);
    return {
      chunks:
        model === 'small' ? chatStream(['hello']) : agentAnswer(model, body?.['messages'] as JsonObject[]),
    };
  });
});
afterAll(async () => {
  models.stop();
  await tools.close();
});

/** The person has one credential, which fits every kind of model. */
function withModels(): TestEnvironmentOptions {
  const credentialById: RunSecrets['credentialById'] = async (_user, id) => ({
    id,
    name: id,
    type: id,
    expression_value: undefined,
    config: { base_url: models.url, api_key: 'none' },
    secrets: [],
  });
  return { egress: streamingEgress(), run_secrets: { ...noRunSecrets, credentialById } };
}

const asking = (environment: TestEnvironment, type: 'llm' | 'decision', data: JsonObject, message: string) =>
  environment.publish(
    graph(
      [
        ['start', 'textInput'],
        ['ask', type, { credentialId: type === 'llm' ? 'custom' : type, model: 'small', ...data }],
        ['out', 'output', { message }],
      ],
      ['start>ask', 'ask>out'],
    ),
  );

const BATCH = graph(
  [
    ['start', 'textInput'],
    [
      'ask',
      'llm',
      { credentialId: 'custom', model: 'small', batchModeEnabled: true, userMessage: '$array("a", "b")' },
    ],
    ['tell', 'set', { mappings: [{ key: 'status', value: '$ask.batchStatus' }] }],
    ['out', 'output', { message: '$ask.text' }],
  ],
  ['start>ask', 'ask:batchStatus>tell', 'ask>out'],
);

const DRAWING = graph(
  [
    ['start', 'textInput'],
    ['ask', 'llm', { credentialId: 'custom', model: 'gpt-image-1', outputType: 'image' }],
    ['out', 'output', { message: '$ask.file.id' }],
  ],
  ['start>ask', 'ask>out'],
);

/** A Drive that has stored a file once for each key. */
function withDrive(): TestEnvironmentOptions & { readonly keys: Set<string | undefined> } {
  const keys = new Set<string | undefined>();
  const drive = emptyDrive();
  const store: typeof drive.store = (file) => {
    keys.add(file.key);
    return drive.store(file);
  };
  return { keys, run_files: { of: () => ({ ...drive, store }) } };
}

/** An agent that sets a variable, runs a workflow and asks a person, and then answers. */
function agentGraph(environment: TestEnvironment) {
  const child = environment.publish(
    graph(
      [
        ['start', 'textInput'],
        ['out', 'output', { message: '$start.text' }],
      ],
      ['start>out'],
    ),
  );
  const document = graph(
    [
      ['start', 'textInput'],
      [
        'lead',
        'agent',
        {
          credentialId: 'custom',
          model: `lead ${child.settings.id}`,
          hitlEnabled: true,
          subWorkflowIds: [child.settings.id],
        },
      ],
      ['keep', 'variable', { variableName: 'note', agentProvidedFields: ['variableValue'] }],
      ['send', 'set', { mappings: [{ key: 'has_link', value: '$lead.reviewUrl != null' }] }],
      ['out', 'output', { message: '$lead.text, $vars.note' }],
    ],
    ['start>lead', 'lead:hitl>send', 'lead>out'],
  );
  const tool = { id: 'tool', source: 'keep', target: 'lead', targetHandle: 'tool-input' };
  return { ...document, edges: [...document.edges, tool] };
}

const use = (name: string, input: JsonObject) => ({ id: name, name, arguments: JSON.stringify(input) });

/** The answers of the models of `agentGraph`, which follow from the messages alone. */
function agentAnswer(model: string, messages: readonly JsonObject[]): string[] {
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  const [name, workflow_id = ''] = model.split(' ');
  if (name === 'noting') {
    return answers === 0
      ? chatStream([], { tools: [use('note', { words: 'once' })] })
      : chatStream(['noted']);
  }
  switch (answers) {
    case 0:
      return chatStream([], {
        tools: [
          use('keep', { variableValue: 'kept' }),
          use('call_sub_workflow', { workflow_id, inputs: { text: 'x' } }),
        ],
      });
    case 1:
      return chatStream([], { tools: [use('request_human_review', { review_markdown: 'draft' })] });
    default:
      return chatStream(['the end']);
  }
}

const calling = (environment: TestEnvironment, selectedTool: string, data: JsonObject) =>
  environment.publish(
    graph(
      [
        ['start', 'textInput'],
        ['ask', 'mcpCall', { connection: { url: tools.url }, selectedTool, ...data }],
        ['out', 'output', { message: '$ask.result' }],
      ],
      ['start>ask', 'ask>out'],
    ),
  );

/** An agent that asks once, and a code host that takes what it changed. */
function withCoding(): TestEnvironmentOptions {
  const finish = ({ task, say }: Sitting) => {
    const isAsked = task['continued'] !== undefined;
    const answer = {
      status: isAsked ? 'completed' : 'needs_input',
      summary: 'Done',
      question: isAsked ? '' : 'Which?',
    };
    const text = JSON.stringify(answer);
    say({ type: 'event', event: { type: 'thread.started', thread_id: 'thread-1' } });
    say({ type: 'event', event: { type: 'item.completed', item: { type: 'agent_message', text } } });
    const files = [{ path: 'a.txt', mode: '100644', content: 'YQ==' }];
    say({ type: 'end', stage: 'agent', exit_code: 0, end: '', files, diff: 'd' });
  };
  const host = new CodeHost();
  const request: Egress['request'] = async (asked) => {
    const { status = 200, headers = {}, body = '' } = host.answer(asked);
    return { status, headers, url: asked.url, body: Readable.from([Buffer.from(body)]) };
  };
  const credentialById: RunSecrets['credentialById'] = async (_user, id) => ({
    id,
    name: id,
    type: id,
    expression_value: undefined,
    config: { access_token: 'sk-1', api_key: id === 'github' ? HOST_TOKEN : 'k' },
    secrets: [],
  });
  return {
    egress: { ...streamingEgress(), request },
    run_secrets: { ...noRunSecrets, credentialById },
    startProgram: scriptedAgent(finish).startProgram,
  };
}

const coding = (type: 'codex' | 'opencodeGo', credentialId: string) =>
  graph(
    [
      ['start', 'textInput'],
      [
        'ask',
        type,
        {
          credentialId,
          githubCredentialId: 'github',
          repositoryUrl: 'ada/engine',
          taskPrompt: '$start.text',
          publishMode: 'draft_pr',
          // Another one for each run, as the code host is the same.
          branchName: 'changes/$executionId',
        },
      ],
      ['out', 'output', { message: '$ask.status, $ask.changedFiles' }],
    ],
    ['start>ask', 'ask>out'],
  );

const CASES: Record<string, Case> = {
  'codex node, that asks a person': {
    publish: (environment) => environment.publish(coding('codex', 'codex')),
    options: withCoding(),
  },
  'opencodeGo node': {
    publish: (environment) => environment.publish(coding('opencodeGo', 'opencode')),
    options: withCoding(),
  },
  'callback node': { publish: (environment) => environment.publish(CALLBACK) },
  'human review node': { publish: (environment) => environment.publish(REVIEW) },
  'humanReview node': {
    publish: (environment) =>
      environment.publish(
        graph(
          [
            ['start', 'textInput'],
            ['ask', 'humanReview', { draft: '$start.text' }],
            ['send', 'set', { mappings: [{ key: 'has_link', value: '$ask.reviewUrl != null' }] }],
            ['out', 'output', { message: '$ask.text' }],
          ],
          ['start>ask', 'ask:review>send', 'ask:accepted>out'],
        ),
      ),
  },
  'fileUploadTrigger node': {
    publish: (environment) =>
      environment.publish(
        graph(
          [
            ['slot', 'fileUploadTrigger'],
            ['keep', 'set', { mappings: [{ key: 'id', value: '$slot.file.id' }] }],
            ['out', 'output', { message: '$keep.id' }],
          ],
          ['slot>keep', 'keep>out'],
        ),
      ),
  },
  'mcpCall node, of a tool that only reads': {
    publish: (environment) => calling(environment, 'add', { toolArguments: { a: '1', b: '2' } }),
    options: { egress: streamingEgress() },
  },
  'llm node': {
    publish: (environment) => asking(environment, 'llm', { userMessage: '$start.text' }, '$ask.text'),
    options: withModels(),
  },
  'llm node with an image as its answer': {
    publish: (environment) => environment.publish(DRAWING),
    options: { ...withDrive(), ...withModels() },
  },
  'llm node, with a batch': {
    publish: (environment) => environment.publish(BATCH),
    options: withModels(),
  },
  'agent node, with tools that change something and a person': {
    publish: (environment) => environment.publish(agentGraph(environment)),
    options: withModels(),
  },
  'decision node': {
    publish: (environment) =>
      asking(
        environment,
        'decision',
        { state: '$start.text', questions: [{ id: 'urgent', type: 'noul', instructions: 'Is it?' }] },
        '$ask.answers.urgent.noul',
      ),
    options: withModels(),
  },
  'github node, that waits for a workflow it may start twice': {
    publish: (environment) =>
      environment.publish(
        graph(
          [
            ['start', 'textInput'],
            [
              'ask',
              'github',
              {
                credentialId: 'github',
                githubOperation: 'dispatchWorkflowAndWait',
                githubOwner: 'octo',
                githubRepo: 'hello',
                githubWorkflowId: 'ci.yml',
                githubBranch: 'main',
                onUnknownOutcome: 'repeat',
              },
            ],
            ['out', 'output', { message: '$ask.conclusion' }],
          ],
          ['start>ask', 'ask>out'],
        ),
      ),
    options: withModels(),
  },
  'wait node, in memory': { publish: (environment) => environment.publish(pausing(5)) },
  'wait node, stored': { publish: (environment) => environment.publish(pausing(100_000)) },
  'execute node, with a workflow that waits': {
    publish(environment) {
      const child = environment.publish(CALLBACK);
      return environment.publish(
        graph(
          [
            ['start', 'textInput'],
            ['call', 'execute', { executeWorkflowId: child.settings.id }],
            ['out', 'output', { message: '$call.outputs.out.result' }],
          ],
          ['start>call', 'call>out'],
        ),
      );
    },
  },
};

test('every node with steps is killed here', () => {
  const types = catalog.all.filter(({ effect }) => effect === 'steps').map(({ type }) => type);
  const names = Object.keys(CASES);
  expect(types.filter((type) => !names.some((name) => name.startsWith(`${type} node`)))).toEqual([]);
});

/** Dies at each write, one after another, until a run gets by without. */
async function* deaths(subject: Case) {
  for (const side of ['before', 'after'] as const) {
    for (let at = 1; ; at++) {
      const { environment, died } = await runWithDeath(subject, { at, side });
      if (!died) break;
      yield { environment, death: `${side} write ${at}` };
    }
  }
}

const NEVER: Death = { at: Number.POSITIVE_INFINITY, side: 'after' };

describe.each(Object.entries(CASES))('%s', (_, subject) => {
  test('ends the same and starts nothing twice, wherever its process dies (§7.2)', async () => {
    const undisturbed = traces((await runWithDeath(subject, NEVER)).environment);
    let count = 0;
    for await (const { environment, death } of deaths(subject)) {
      count += 1;
      // Before its first write a run does not exist, and its caller heard nothing.
      if (environment.journal.runs.size > 0) expect(traces(environment), death).toEqual(undisturbed);
    }
    expect(count).toBeGreaterThanOrEqual(8);
  }, 60_000);
});

describe('a node with steps', () => {
  test('repeats no step that is recorded, and the others with the same key', async () => {
    let done: string[] = [];
    const keys = ['a', 'b', 'c'];
    const subject: Case = {
      publish: (environment) => {
        done = [];
        return environment.publish(pausing(1));
      },
      options: {
        nodes: {
          wait: async (call) => {
            for (const key of keys)
              await call.step(key, 'idempotent', ({ idempotency_key }) => done.push(idempotency_key));
            return { output: keys };
          },
        },
      },
    };
    let repeats = 0;
    for await (const { environment, death } of deaths(subject)) {
      const [run_id] = environment.journal.runs.keys();
      if (run_id === undefined) continue;
      expect(new Set(done), death).toEqual(new Set(keys.map((key) => `${run_id}:pause::${key}`)));
      expect(done.length - keys.length, death).toBeLessThanOrEqual(1);
      repeats += done.length - keys.length;
    }
    // Each step was interrupted once between its effect and its record.
    expect(repeats).toBe(keys.length);
  });
});

describe('an MCP tool that may do its work twice', () => {
  const ending = async (onUnknownOutcome: 'fail' | 'repeat') => {
    const publish: Case['publish'] = (environment) => {
      tools.notes.length = 0;
      return calling(environment, 'note', { toolArguments: { words: 'once' }, onUnknownOutcome });
    };
    const ends: { status: string | undefined; notes: number }[] = [];
    for await (const { environment } of deaths({ publish, options: { egress: streamingEgress() } })) {
      const [run] = environment.journal.runs.values();
      if (run) ends.push({ status: run.final?.status, notes: tools.notes.length });
    }
    return ends;
  };

  test('is never called twice; a run that cannot know whether it was called says so', async () => {
    const ends = await ending('fail');
    expect(ends.every(({ notes }) => notes <= 1)).toBe(true);
    expect(ends.every(({ status, notes }) => status === 'error' || notes === 1)).toBe(true);
    expect(ends.some(({ status }) => status === 'error')).toBe(true);
  });

  test('is called again when the node says so, and the run ends well', async () => {
    const ends = await ending('repeat');
    expect(ends.every(({ status }) => status === 'success')).toBe(true);
    expect(ends.some(({ notes }) => notes === 2)).toBe(true);
  });
});

test('a generated image is paid once and stored once, wherever the process dies (§7.2)', async () => {
  const drive = withDrive();
  const publish: Case['publish'] = (environment) => {
    models.seen.length = 0;
    drive.keys.clear();
    return environment.publish(DRAWING);
  };
  const paid: number[] = [];
  for await (const { environment, death } of deaths({ publish, options: { ...drive, ...withModels() } })) {
    const [run] = environment.journal.runs.values();
    if (!run) continue;
    expect(run.final, death).toMatchObject({ status: 'success', outputs: { out: { result: 'file-1' } } });
    expect(drive.keys.size, death).toBe(1);
    paid.push(models.seen.length);
  }
  // One that was being generated when the process died may be generated again; a recorded one never.
  expect(Math.max(...paid)).toBeLessThanOrEqual(2);
  expect(paid.filter((count) => count === 2).length).toBeLessThanOrEqual(2);
  expect(paid.length).toBeGreaterThanOrEqual(8);
});

test('a batch is paid once, wherever the process dies (§7.2)', async () => {
  const publish: Case['publish'] = (environment) => {
    batches.clear();
    return environment.publish(BATCH);
  };
  let count = 0;
  for await (const { environment, death } of deaths({ publish, options: withModels() })) {
    const [run] = environment.journal.runs.values();
    if (!run) continue;
    count += 1;
    expect(run.final, death).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'Re: a\nRe: b' } },
    });
    expect(batches.made.length, death).toBe(1);
  }
  expect(count).toBeGreaterThanOrEqual(12);
});

describe('an agent that dies', () => {
  test('pays for no finished call again, and repeats no use of a tool (§7.2)', async () => {
    const publish: Case['publish'] = (environment) => {
      models.seen.length = 0;
      tools.notes.length = 0;
      return environment.publish(noting());
    };
    let count = 0;
    const calls: number[] = [];
    for await (const { environment, death } of deaths({ publish, options: withModels() })) {
      const [run] = environment.journal.runs.values();
      if (!run) continue;
      count += 1;
      expect(run.final, death).toMatchObject({ status: 'success', outputs: { out: { result: 'noted' } } });
      // A tool that may do its work twice is never called twice; the model hears when its outcome is unknown.
      expect(tools.notes.length, death).toBeLessThanOrEqual(1);
      // Each answer is paid once; one that was under way when the process died may be asked for again.
      expect(models.seen.length, death).toBeLessThanOrEqual(3);
      calls.push(models.seen.length);
    }
    expect(count).toBeGreaterThan(8);
    expect(calls.filter((seen) => seen === 2).length).toBeGreaterThan(calls.length / 2);
  });
});

/** An agent whose model notes something by an MCP tool once, and then says so. */
const noting = () =>
  graph(
    [
      ['start', 'textInput'],
      [
        'lead',
        'agent',
        {
          credentialId: 'custom',
          model: 'noting',
          mcpConnections: [{ transport: 'streamable_http', url: tools.url }],
        },
      ],
      ['out', 'output', { message: '$lead.text' }],
    ],
    ['start>lead', 'lead>out'],
  );
