import { type JsonObject, NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { budgetStop } from '../kit/models/budgets/budget-stop.ts';
import { type Situation, traceNode } from '../testing/run-node.ts';
import { type Sitting, scriptedAgent } from '../testing/scripted/scripted-agent.ts';
import { BASE_SHA, CodeHost, HOST_TOKEN } from '../testing/servers/code-host.ts';

const KEY = 'sk-canary-of-the-agent';
const credentials = {
  agent: { type: 'codex', values: { access_token: KEY } },
  host: { type: 'github', values: { api_key: HOST_TOKEN } },
};
const DATA = {
  credentialId: 'agent',
  repositoryUrl: 'https://github.com/ada/engine',
  taskPrompt: 'Fix $start.what',
};
const CHANGES = {
  files: [
    { path: 'src/a.ts', mode: '100644', content: Buffer.from('new').toString('base64') },
    { path: 'old.ts', mode: null },
  ],
  diff: 'diff --git a/src/a.ts b/src/a.ts\n',
};

function finish({ say }: Sitting, answer: JsonObject = {}): void {
  const text = JSON.stringify({
    status: 'completed',
    summary: 'Fixed it',
    validation: 'npm test',
    question: '',
    ...answer,
  });
  say({ type: 'event', event: { type: 'thread.started', thread_id: 'thread-1' } });
  say({
    type: 'event',
    event: { type: 'item.completed', item: { type: 'command_execution', command: 'npm test' } },
  });
  say({ type: 'event', event: { type: 'item.completed', item: { type: 'agent_message', text } } });
  const usage = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7 };
  say({ type: 'event', event: { type: 'turn.completed', usage } });
  say({ type: 'end', stage: 'agent', exit_code: 0, end: '', ...CHANGES });
}

async function run(data: JsonObject, script = (sitting: Sitting) => finish(sitting), more: Situation = {}) {
  const host = new CodeHost(new TextEncoder().encode('archive'));
  const agent = scriptedAgent(script);
  const situation: Situation = {
    inputs: { start: { what: 'the bug' } },
    names: { executionId: 'run-1' },
    credentials,
    answer: host.answer,
    ...more,
    services: { startProgram: agent.startProgram, ...more.services },
  };
  const again = () => traceNode('codex', { ...DATA, ...data }, situation);
  const done = await again();
  // No container may be left running, whether the node succeeded or failed.
  expect(agent.running.count).toBe(0);
  return { ...done, host, agent, again };
}

describe('codex', () => {
  test('works on the newest commit of the base branch and shows what it changed', async () => {
    const { result, trace, agent, host } = await run({ setupCommand: 'npm ci' });
    expect(result).toEqual({
      output: {
        status: 'completed',
        summary: 'Fixed it',
        validation: 'npm test',
        diff: CHANGES.diff,
        changedFiles: ['src/a.ts', 'old.ts'],
        threadId: 'thread-1',
        branchName: null,
        pullRequestUrl: null,
        usage: { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, cached_tokens: 40 },
      },
      ports: ['output'],
    });
    expect(agent.tasks[0]).toMatchObject({
      setup: 'npm ci',
      keeps_contents: false,
      variables: { CODEX_API_KEY: KEY },
    });
    expect(JSON.stringify(agent.tasks[0])).toContain('Fix the bug');
    expect(agent.archives).toEqual([Buffer.from('archive').toString('base64')]);
    expect(trace.logged.map(({ message }) => message)).toContain('$ npm test');
    expect(trace.model_calls[0]?.call).toMatchObject({
      provider: 'openai',
      usage: { total_tokens: 107 },
      error: null,
    });
    expect([...host.branches.keys()]).toEqual(['main']);
    expect(trace.steps).toEqual(['base', 'work-1']);
  });

  test('a round counts at the price of the model that the agent says it has used, and the next round is checked with it', async () => {
    const planned: string[] = [];
    const asking = (sitting: Sitting) => {
      sitting.say({
        type: 'event',
        event: { type: 'turn_context', payload: { model: 'gpt-5.4' } },
      });
      const isFirst = sitting.task['continued'] === undefined;
      finish(sitting, isFirst ? { status: 'needs_input', question: 'Which colour?' } : {});
    };
    const { trace, agent } = await run({ maxCostUsd: 5 }, asking, {
      decisions: { 'question-1': { decision: 'edited', data: { edited_text: 'Blue' } } },
      services: {
        requireBudget: ({ model }) => {
          planned.push(model);
          return Promise.resolve();
        },
      },
    });
    expect(planned).toEqual(['codex', 'gpt-5.4']);
    expect(trace.model_calls.map(({ call }) => call.model)).toEqual(['gpt-5.4', 'gpt-5.4']);
    expect(agent.tasks[0]).toMatchObject({ session: { folder: 'home/sessions', type: 'turn_context' } });
  });

  test('the agent never gets the token of the code host', async () => {
    const { agent } = await run({ githubCredentialId: 'host', publishMode: 'commit_push' });
    expect(JSON.stringify(agent.tasks)).not.toContain(HOST_TOKEN);
  });

  test('opens a draft pull request for a branch with one commit', async () => {
    const { result, host } = await run({ githubCredentialId: 'host', publishMode: 'draft_pr' });
    expect(result).toMatchObject({
      output: { branchName: 'codex/run-1', pullRequestUrl: 'https://github.com/ada/engine/pull/1' },
    });
    expect(host.changedOn('codex/run-1')).toEqual({ 'src/a.ts': 'new', 'old.ts': null });
    expect(host.pulls).toEqual([
      expect.objectContaining({ draft: true, base: 'main', head: 'codex/run-1', title: 'Fixed it' }),
    ]);
  });

  test('repeated after a crash, it neither commits nor opens a pull request twice', async () => {
    const { host, again } = await run({ githubCredentialId: 'host', publishMode: 'open_pr' });
    const before = [...host.branches];
    const { result } = await again();
    expect(result).toMatchObject({ output: { pullRequestUrl: 'https://github.com/ada/engine/pull/1' } });
    expect([...host.branches]).toEqual(before);
    expect(host.pulls).toHaveLength(1);
  });

  test('commits to the base branch, unless it has moved meanwhile', async () => {
    const data = { githubCredentialId: 'host', publishMode: 'direct_commit' };
    const { host } = await run(data);
    expect(host.changedOn('main')).toEqual({ 'src/a.ts': 'new', 'old.ts': null });

    const moving = new CodeHost();
    const { result } = await run(
      data,
      (sitting) => {
        moving.branches.set('main', 'c'.repeat(40));
        finish(sitting);
      },
      { answer: moving.answer },
    );
    expect(result).toMatchObject({
      failure: { field: 'branchName', message: expect.stringContaining('nothing was pushed') },
    });
    expect(moving.branches.get('main')).toBe('c'.repeat(40));
  });

  test('adds to an open pull request, and refuses a branch without one', async () => {
    const data = { githubCredentialId: 'host', publishMode: 'update_existing_pr', branchName: 'feature' };
    const host = new CodeHost();
    host.branches.set('feature', BASE_SHA);
    const refused = await run(data, undefined, { answer: host.answer });
    expect(refused.result).toMatchObject({
      failure: { field: 'branchName', message: expect.stringContaining('no open pull request') },
    });
    host.pulls.push({ head: 'feature', html_url: 'https://github.com/ada/engine/pull/9' });
    const { result } = await run(data, undefined, { answer: host.answer });
    expect(result).toMatchObject({ output: { pullRequestUrl: 'https://github.com/ada/engine/pull/9' } });
    expect(host.changedOn('feature')).toEqual({ 'src/a.ts': 'new', 'old.ts': null });
  });

  test('stores a patch in Drive', async () => {
    const stored: string[] = [];
    const files = {
      store: async ({ body, filename }: { body: AsyncIterable<Uint8Array>; filename: unknown }) => {
        for await (const chunk of body) stored.push(new TextDecoder().decode(chunk));
        return {
          id: 'f1',
          filename: String(filename),
          mime_type: 'text/x-diff',
          size_bytes: 1,
          download_url: 'https://test/f1',
        };
      },
    };
    const { result } = await run({ publishMode: 'patch_artifact' }, undefined, {
      services: { files: files as never },
    });
    expect(result).toMatchObject({
      output: { patch: { filename: 'changes.patch', download_url: 'https://test/f1' } },
    });
    expect(stored).toEqual([CHANGES.diff]);
  });

  describe('a question', () => {
    const asking = (sitting: Sitting) =>
      sitting.task['continued'] === undefined
        ? finish(sitting, { status: 'needs_input', question: 'Which port?' })
        : finish(sitting);

    test('waits for a person, and shows the question', async () => {
      const { trace } = await run({}, asking, { decisions: 'none' });
      expect(trace.waits).toEqual([
        expect.objectContaining({
          kind: 'review',
          payload: expect.objectContaining({
            status: 'needs_input',
            question: 'Which port?',
            reviewUrl: 'https://test/reviews/question-1',
          }),
        }),
      ]);
    });

    test('the answer continues the thread', async () => {
      const decisions = { 'question-1': { decision: 'edited', data: { edited_text: '8080' } } };
      const { result, agent } = await run({}, asking, { decisions });
      expect(result).toMatchObject({ output: { status: 'completed' }, ports: ['output'] });
      expect(agent.tasks[1]).toMatchObject({
        continued: { input: '8080', args: expect.arrayContaining(['resume', 'thread-1']) },
      });
      // Where the workspace is gone, the agent begins anew and knows the answer.
      expect(JSON.stringify(agent.tasks[1]?.['fresh'])).toContain('8080');
    });

    test('a budget that is used up before the answer is worked on ends the node with what was done', async () => {
      const decisions = { 'question-1': { decision: 'edited', data: { edited_text: '8080' } } };
      let calls = 0;
      const requireBudget = () => {
        calls += 1;
        return calls === 1 ? Promise.resolve() : Promise.reject(budgetStop('used up', { budget: 'run' }));
      };
      const { result, agent, host } = await run(
        { githubCredentialId: 'host', publishMode: 'open_pr' },
        asking,
        {
          decisions,
          services: { requireBudget },
        },
      );
      expect(result).toMatchObject({
        output: { status: 'limit_reached', diff: CHANGES.diff, pullRequestUrl: null },
      });
      expect(agent.tasks).toHaveLength(1);
      expect(host.pulls).toEqual([]);
    });

    test('without an answer the node ends and says what was asked', async () => {
      const { result } = await run({ githubCredentialId: 'host', publishMode: 'open_pr' }, asking);
      expect(result).toMatchObject({ output: { status: 'needs_input', pullRequestUrl: null } });
    });
  });

  test.each<[string, JsonObject, string, string]>([
    [
      'another host than that of the credential',
      { githubCredentialId: 'host', repositoryUrl: 'https://git.example/ada/engine' },
      'repositoryUrl',
      'is at git.example',
    ],
    [
      'an address with a token',
      { repositoryUrl: 'https://x:ghp-1@github.com/ada/engine' },
      'repositoryUrl',
      'must not contain a token',
    ],
    [
      'a folder of a repository',
      { repositoryUrl: 'https://github.com/ada/engine/tree/main' },
      'repositoryUrl',
      'must be the address',
    ],
    ['publishing without a token', { publishMode: 'open_pr' }, 'githubCredentialId', 'is needed to publish'],
    ['a branch that does not exist', { baseBranch: 'nope' }, 'baseBranch', 'which is not in ada/engine'],
    [
      'an impossible name of a branch',
      { githubCredentialId: 'host', publishMode: 'commit_push', branchName: 'a..b' },
      'branchName',
      'no name of a branch',
    ],
    [
      'a pull request of the base branch',
      { githubCredentialId: 'host', publishMode: 'open_pr', branchName: 'main' },
      'branchName',
      'which is the base branch',
    ],
    ['a credential of another type', { credentialId: 'host' }, 'credentialId', 'must be of the type codex'],
    ['no task', { taskPrompt: ' ' }, 'taskPrompt', 'Say what'],
  ])('%s is refused by name', async (_title, data, field, words) => {
    const { result } = await run(data);
    expect(result).toMatchObject({
      failure: { kind: 'params', field, message: expect.stringContaining(words) },
    });
  });

  test.each<[string, (sitting: Sitting) => void, JsonObject]>([
    [
      'a setup that fails',
      ({ say }) => say({ type: 'end', stage: 'setup', exit_code: 3, end: 'no npm' }),
      { kind: 'thrown', field: 'setupCommand' },
    ],
    [
      'an agent that fails',
      ({ say }) => say({ type: 'end', stage: 'agent', exit_code: 1, end: 'no model', files: [], diff: '' }),
      { kind: 'upstream' },
    ],
    [
      'too many changes',
      ({ say }) => say({ type: 'end', stage: 'agent', exit_code: 0, end: '', problem: 'changes' }),
      { kind: 'limit' },
    ],
    [
      'a container that ends',
      ({ end }) => end(new NodeFailure({ kind: 'timeout', message: 'ran longer than 30 s' })),
      { kind: 'timeout' },
    ],
    [
      'a turn that fails',
      ({ say }) => {
        say({ type: 'event', event: { type: 'turn.failed', error: { message: 'quota used up' } } });
        say({ type: 'end', stage: 'agent', exit_code: 1, end: '', files: [], diff: '' });
      },
      { kind: 'upstream', message: 'Codex failed: quota used up' },
    ],
  ])('%s fails the node, and is traced', async (_title, script, failure) => {
    const { result, trace } = await run({}, script);
    expect(result).toMatchObject({ failure });
    expect(trace.model_calls).toHaveLength(1);
  });
});
