import { describe, expect, test } from 'vitest';
import { traceNode } from '../testing/run-node.ts';
import { type Sitting, scriptedAgent } from '../testing/scripted/scripted-agent.ts';
import { CodeHost, HOST_TOKEN } from '../testing/servers/code-host.ts';

const credentials = {
  agent: { type: 'opencode', values: { api_key: 'canary', base_url: 'https://models.example/v1' } },
  host: { type: 'github', values: { api_key: HOST_TOKEN } },
};

test('OpenCode is told its model and key, and its changes are pushed', async () => {
  const agent = scriptedAgent(({ say }) => {
    const event = (type: string, part: object) =>
      say({ type: 'event', event: { type, sessionID: 'ses-1', part: part as never } });
    event('step_start', {});
    event('tool_use', { tool: 'edit', state: { title: 'a.txt' } });
    event('step_finish', {
      tokens: { input: 10, output: 3, reasoning: 2, cache: { read: 5, write: 0 } },
      cost: 0.25,
    });
    event('text', { text: 'All done' });
    event('step_finish', {
      tokens: { input: 20, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
      cost: 0.5,
    });
    const files = [{ path: 'a.txt', mode: '100755', content: Buffer.from('x').toString('base64') }];
    say({ type: 'end', stage: 'agent', exit_code: 0, end: '', files, diff: 'd' });
  });
  const host = new CodeHost();
  const data = {
    credentialId: 'agent',
    githubCredentialId: 'host',
    repositoryUrl: 'ada/engine',
    taskPrompt: '-- do it',
    publishMode: 'commit_push',
    opencodeModel: 'glm-5.1',
    opencodeVariant: 'high',
  };
  const { result, trace } = await traceNode('opencodeGo', data, {
    names: { executionId: 'run-1' },
    credentials,
    answer: host.answer,
    services: { startProgram: agent.startProgram },
  });
  expect(result).toEqual({
    output: {
      status: 'completed',
      summary: 'All done',
      validation: '',
      diff: 'd',
      changedFiles: ['a.txt'],
      threadId: 'ses-1',
      branchName: 'opencode/run-1',
      pullRequestUrl: null,
      pushedBranch: 'opencode/run-1',
      patchUrl: null,
      usage: { prompt_tokens: 35, completion_tokens: 6, total_tokens: 41, cached_tokens: 5, cost_usd: 0.75 },
    },
  });
  const [task] = agent.tasks;
  expect(task?.['fresh']).toMatchObject({
    args: [
      'run',
      '--format',
      'json',
      '--auto',
      '--model',
      'opencode-go/glm-5.1',
      '--variant',
      'high',
      '--',
      expect.stringMatching(/^-- do it/),
    ],
  });
  const variables = task?.['variables'] as Record<string, string>;
  expect(JSON.parse(variables['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
    provider: { 'opencode-go': { options: { apiKey: 'canary', baseURL: 'https://models.example/v1' } } },
    share: 'disabled',
  });
  expect(host.changedOn('opencode/run-1')).toEqual({ 'a.txt': 'x' });
  expect(trace.model_calls[0]?.call).toMatchObject({ provider: 'opencode-go', model: 'opencode-go/glm-5.1' });
});

describe('with a cost budget', () => {
  const data = {
    credentialId: 'agent',
    githubCredentialId: 'host',
    repositoryUrl: 'ada/engine',
    taskPrompt: 'x',
    publishMode: 'commit_push',
    maxCostUsd: '0.5',
  };
  const changes = {
    files: [{ path: 'a.txt', mode: '100644', content: Buffer.from('half').toString('base64') }],
    diff: 'half done',
  };
  const run = async (script: (sitting: Sitting) => void) => {
    const agent = scriptedAgent(script);
    const host = new CodeHost();
    const done = await traceNode('opencodeGo', data, {
      names: { executionId: 'run-1' },
      credentials,
      answer: host.answer,
      services: { startProgram: agent.startProgram },
    });
    return { ...done, host };
  };
  const spend = ({ say }: Sitting, cost: number) =>
    say({ type: 'event', event: { type: 'step_finish', sessionID: 'ses-1', part: { cost } } });
  const end = ({ say }: Sitting, exit_code: number) =>
    say({ type: 'end', stage: 'agent', exit_code, end: '', ...changes });

  test('the agent is stopped, shows what it has done so far, and publishes nothing', async () => {
    const { result, trace, host } = await run((sitting) => {
      spend(sitting, 0.25);
      spend(sitting, 0.375);
      void sitting.stopped.then(() => end(sitting, 128));
    });
    expect(result).toMatchObject({
      output: { status: 'limit_reached', diff: 'half done', pushedBranch: null, usage: { cost_usd: 0.625 } },
    });
    expect(host.branches.has('opencode/run-1')).toBe(false);
    expect(trace.model_calls.map(({ call }) => call.cost_usd)).toEqual([0.625]);
  });

  test('work that was finished before the agent could be stopped is published', async () => {
    const { result, host } = await run((sitting) => {
      spend(sitting, 0.625);
      end(sitting, 0);
    });
    expect(result).toMatchObject({ output: { status: 'completed', pushedBranch: 'opencode/run-1' } });
    expect(host.changedOn('opencode/run-1')).toEqual({ 'a.txt': 'half' });
  });
});

test('the error that it prints is that of the node', async () => {
  const agent = scriptedAgent(({ say }) => {
    say({
      type: 'event',
      event: { type: 'error', error: { name: 'ProviderAuthError', data: { message: 'Invalid key' } } },
    });
    say({ type: 'end', stage: 'agent', exit_code: 1, end: '', files: [], diff: '' });
  });
  const { result } = await traceNode(
    'opencodeGo',
    { credentialId: 'agent', repositoryUrl: 'ada/engine', taskPrompt: 'x' },
    { credentials, answer: new CodeHost().answer, services: { startProgram: agent.startProgram } },
  );
  expect(result).toMatchObject({ failure: { kind: 'upstream', message: 'OpenCode failed: Invalid key' } });
});
