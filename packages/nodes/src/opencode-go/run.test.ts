import { expect, test } from 'vitest';
import { traceNode } from '../testing/run-node.ts';
import { scriptedAgent } from '../testing/scripted-agent.ts';
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
