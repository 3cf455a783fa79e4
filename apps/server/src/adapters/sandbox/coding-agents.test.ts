import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '@millrace/engine';
import type { ProgramJob } from '@millrace/nodes/runtime';
import { traceNode } from '@millrace/nodes/testing';
import { CodeHost, HOST_TOKEN } from '@millrace/nodes/testing/code-host';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgramSandbox, Sandbox, ScriptSandbox } from '../../ports/sandbox.ts';
import { getServerUrl, serveRegistry } from '../../testing/npm-registry.ts';
import { hasSandboxEngine, sandboxEngine, sandboxOptions } from '../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';

/** Of no other test. */
const installation = `coding-${Date.now()}`;
const KEY = 'sk-canary-of-the-agent';
const CODEX = '0.171.0';
const OPENCODE = '1.18.33';
const BUNDLED = `opencode-linux-${process.arch}`;

/** Prints what the real command line prints, and does what its task says: lines of shell. */
const CODEX_CLI = String.raw`#!/usr/bin/env node
const { execSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const args = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
const say = (event) => console.log(JSON.stringify(event));
const resumed = args.includes('resume');
const said = (answer) => say({ type: 'item.completed', item: { type: 'agent_message', text: JSON.stringify({ status: 'completed', summary: '', validation: '', question: '', ...answer }) } });
JSON.parse(readFileSync(args[args.indexOf('--output-schema') + 1], 'utf8'));
say({ type: 'thread.started', thread_id: resumed ? args[args.indexOf('resume') + 1] : 'thread-1' });
console.log('a line that is no event');
if (resumed) {
  require('node:fs').appendFileSync('answers.txt', prompt + '\n');
  said({ summary: 'continued with ' + prompt });
} else {
  let printed = '';
  for (const line of prompt.split('\n').filter((line) => line.startsWith('$ '))) printed += execSync(line.slice(2), { encoding: 'utf8', env: { ...process.env } });
  if (prompt.includes('ASK')) said({ status: 'needs_input', question: 'Which colour?' });
  else said({ summary: printed, validation: process.env.CODEX_API_KEY === '${KEY}' ? 'has its key' : 'no key' });
}
say({ type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 2 } });
const sessions = process.env.CODEX_HOME + '/sessions/2026/11/29';
require('node:fs').mkdirSync(sessions, { recursive: true });
const line = (type, payload) => JSON.stringify({ timestamp: '2026-11-29T12:00:00Z', type, payload }) + '\n';
require('node:fs').appendFileSync(sessions + '/rollout-1.jsonl', line('turn_context', { model: 'gpt-5.4' }) + line('event_msg', {}));
`;

const OPENCODE_CLI = String.raw`#!/usr/bin/env node
const args = process.argv.slice(2);
require('node:fs').writeFileSync('done.txt', args.at(-1).split('\n')[0]);
console.log(JSON.stringify({ type: 'text', sessionID: 'ses-1', part: { type: 'text', text: 'done' } }));
if (args.at(-1).includes('SPEND')) {
  console.log(JSON.stringify({ type: 'step_finish', sessionID: 'ses-1', part: { cost: 1 } }));
  require('node:child_process').execSync('sleep 300');
}
`;

/** A gzipped tar file of files below one folder, as code hosts and the registry have them. */
function packed(folder: string, files: Readonly<Record<string, string>>): Buffer {
  const root = mkdtempSync(join(tmpdir(), 'millrace-packed-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, folder, path)), { recursive: true });
    writeFileSync(join(root, folder, path), content);
    if (content.startsWith('#!')) chmodSync(join(root, folder, path), 0o755);
  }
  if (folder !== 'package') symlinkSync('a.txt', join(root, folder, 'link'));
  execFileSync('tar', ['-C', root, '-czf', join(root, 'p.tgz'), folder]);
  const bytes = readFileSync(join(root, 'p.tgz'));
  rmSync(root, { recursive: true });
  return bytes;
}

/** The registry with scripted agents; what unpacks and compares files comes from the real one. */
const scriptedPackages = {
  '@openai/codex': { version: CODEX, bin: { codex: 'bin/codex.js' }, files: { 'bin/codex.js': CODEX_CLI } },
  'opencode-ai': { version: OPENCODE, dependencies: { [BUNDLED]: OPENCODE }, files: {} },
  [BUNDLED]: { version: OPENCODE, files: { 'bin/opencode': OPENCODE_CLI } },
};

const serveScripted = (): Promise<Server> =>
  serveRegistry((request, response, own) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const found = Object.entries(scriptedPackages).find(([one]) => one === name.replace(/\.tgz$/, ''));
    if (!found) return false;
    const [id, { files, version, ...rest }] = found;
    const manifest = { name: id, version, ...rest };
    if (name.endsWith('.tgz')) {
      response.end(packed('package', { 'package.json': JSON.stringify(manifest), ...files }));
      return true;
    }
    const tarball = `${own}/${encodeURIComponent(id)}.tgz`;
    const versions = { [version]: { ...manifest, dist: { tarball } } };
    response.end(JSON.stringify({ name: id, 'dist-tags': { latest: version }, versions }));
    return true;
  });

const REPOSITORY = {
  'a.txt': 'one\ntwo\nthree\n',
  'bin/tool.sh': '#!/bin/sh\n',
  image: '\u0000old',
  'old.bin': '\u0000',
  'src/deep/file.txt': 'a file\n',
  'src/deep/b.txt': 'b\n',
  'src/deep/.gitignore': 'generated*\n',
  '.gitignore': 'node_modules/\n*.log\n',
};

// The first one installs the packages of its agent.
describe.skipIf(!hasSandboxEngine)('§8.4: coding agents in containers', { timeout: 90_000 }, () => {
  let server: Server;
  let sandbox: Sandbox & ScriptSandbox & ProgramSandbox;
  let runs = 0;
  const workspaces = new Set<string>();

  beforeAll(async () => {
    server = await serveScripted();
    sandbox = createContainerSandbox({
      ...sandboxOptions,
      installation,
      // The engine of the tests has no bridge; the service refuses this network in its settings.
      network: 'host',
      forwarded: {
        locale: [],
        network: [`NPM_CONFIG_REGISTRY=${getServerUrl(server)}`],
        authorities: undefined,
      },
    });
  });
  afterAll(async () => {
    for (const name of workspaces) await sandbox.dropWorkspace(name);
    await sandbox.close();
    server.closeAllConnections();
    server.close();
  });

  /** Runs the node as a run does, in a workspace of its own unless it is named. */
  async function run(
    type: string,
    data: JsonObject,
    more: { workspace?: string; decisions?: object; signal?: AbortSignal } = {},
  ) {
    const host = new CodeHost(packed('ada-engine-bbb', REPOSITORY));
    const workspace = more.workspace ?? `run-${++runs}`;
    workspaces.add(`${workspace} coding`);
    const started = ({ workspace: name, ...job }: ProgramJob) =>
      sandbox.startProgram({ ...job, ...(name === undefined ? {} : { workspace: `${workspace} ${name}` }) });
    const credentialType = type === 'codex' ? 'codex' : 'opencode';
    const done = await traceNode(
      type,
      { credentialId: 'agent', githubCredentialId: 'host', repositoryUrl: 'ada/engine', ...data },
      {
        names: { executionId: 'run-1' },
        credentials: {
          agent: { type: credentialType, values: { access_token: KEY, api_key: KEY } },
          host: { type: 'github', values: { api_key: HOST_TOKEN } },
        },
        answer: host.answer,
        services: { startProgram: started, now: Date.now },
        ...(more.decisions ? { decisions: more.decisions as never } : {}),
        ...(more.signal ? { signal: more.signal } : {}),
      },
    );
    return { ...done, host };
  }

  const requireOutput = ({ result }: Awaited<ReturnType<typeof run>>): JsonObject => {
    if (!('output' in result)) throw new Error(JSON.stringify(result));
    return result.output as JsonObject;
  };

  test('changes, new, deleted, moved and binary files come back as a diff that git applies', async () => {
    const work = [
      '$ sed -i s/two/2/ a.txt && rm bin/tool.sh && mkdir new && printf "x\\n" > new/c.txt && chmod +x src/deep/b.txt',
      '$ printf "\\000\\001" > pixels && seq 1 3000 | gzip -n > numbers.gz && printf "\\000new" > image && rm old.bin && ln -sf ../../a.txt src/deep/file.txt && mkdir node_modules && touch node_modules/x y.log src/deep/generated.txt',
      '$ cat link; env | grep -c canary-of-the-host || true',
    ];
    const done = await run('codex', { taskPrompt: work.join('\n'), publishMode: 'commit_push' });
    const output = requireOutput(done);
    expect(output).toMatchObject({
      status: 'completed',
      summary: 'one\n2\nthree\n0\n',
      validation: 'has its key',
      threadId: 'thread-1',
      changedFiles: [
        'a.txt',
        'bin/tool.sh',
        'image',
        'new/c.txt',
        'numbers.gz',
        'old.bin',
        'pixels',
        'src/deep/b.txt',
        'src/deep/file.txt',
      ],
      usage: { total_tokens: 7 },
    });
    // From the files of its session: its events do not name the model.
    expect(done.trace.model_calls[0]?.call.model).toBe('gpt-5.4');
    expect(done.host.changedOn('codex/run-1')).toMatchObject({
      'a.txt': 'one\n2\nthree\n',
      'bin/tool.sh': null,
      'new/c.txt': 'x\n',
      'old.bin': null,
      pixels: '\u0000\u0001',
      'src/deep/b.txt': 'b\n',
    });
    const checkout = mkdtempSync(join(tmpdir(), 'millrace-checkout-'));
    execFileSync('tar', ['-C', checkout, '--strip-components=1', '-xz'], {
      input: packed('ada-engine-bbb', REPOSITORY),
    });
    const patch = String(output['diff']);
    execFileSync('git', ['apply', '-'], { cwd: checkout, input: patch });
    const readContent = (name: string) => readFileSync(join(checkout, name));
    expect(String(readContent('a.txt'))).toBe('one\n2\nthree\n');
    expect(String(readContent('new/c.txt'))).toBe('x\n');
    expect(readContent('pixels')).toEqual(Buffer.from([0, 1]));
    expect(String(readContent('image'))).toBe('\u0000new');
    expect(String(gunzipSync(readContent('numbers.gz')))).toMatch(/^1\n2\n[\s\S]*\n3000\n$/);
    expect(readlinkSync(join(checkout, 'src/deep/file.txt'))).toBe('../../a.txt');
    expect(existsSync(join(checkout, 'old.bin'))).toBe(false);
    rmSync(checkout, { recursive: true });
  });

  test('files that have little in common are replaced in the diff, in seconds', async () => {
    const make =
      "$ node -e \"let t = String(); for (let i = 0; i < 40000; i++) t += Math.sin(i) + String.fromCharCode(10); require('fs').writeFileSync('a.txt', t + 0)\"";
    const output = requireOutput(
      await run('codex', { taskPrompt: make, publishMode: 'diff_only', timeoutSeconds: 30 }),
    );
    expect(output['diff']).toContain('@@ -1,3 +1,40001 @@\n-one\n-two\n-three\n+0\n');
    expect(output['diff']).toMatch(/\n\+0\n\\ No newline at end of file\n$/);
  });

  test('an answer continues in the same files; where they are gone, it begins anew', async () => {
    const data = { taskPrompt: 'ASK\n$ echo kept > kept.txt' };
    const decisions = { 'question-1': { decision: 'edited', data: { edited_text: 'blue' } } };
    const output = requireOutput(await run('codex', data, { workspace: 'asked', decisions }));
    expect(output).toMatchObject({
      summary: 'continued with blue',
      changedFiles: ['answers.txt', 'kept.txt'],
    });
    await sandbox.dropWorkspace('asked coding');
    const again = await run('codex', { taskPrompt: '$ ls' }, { workspace: 'asked' });
    expect(requireOutput(again)['summary']).not.toContain('kept.txt');
  });

  test('OpenCode is started without the scripts of its package', async () => {
    const output = requireOutput(await run('opencodeGo', { taskPrompt: 'Say hello' }));
    expect(output).toMatchObject({ summary: 'done', changedFiles: ['done.txt'], threadId: null });
    expect(output['diff']).toContain('+Say hello');
  });

  test('an agent that has used up its cost budget is stopped with what it has started, and its changes are kept', async () => {
    const data = { taskPrompt: 'SPEND', maxCostUsd: 0.5, timeoutSeconds: 60 };
    const output = requireOutput(await run('opencodeGo', data));
    expect(output).toMatchObject({
      status: 'limit_reached',
      summary: 'done',
      changedFiles: ['done.txt'],
      usage: { cost_usd: 1 },
    });
    expect(output['diff']).toContain('+SPEND');
  });

  test('what the setup prepares is there, and one that fails says why', async () => {
    const prepared = await run('codex', {
      setupCommand: 'echo ready > setup.log',
      taskPrompt: '$ cat setup.log',
    });
    expect(requireOutput(prepared)).toMatchObject({ summary: 'ready\n', changedFiles: [] });
    const { result } = await run('codex', { setupCommand: 'echo no luck >&2; exit 4', taskPrompt: 'x' });
    expect(result).toMatchObject({
      failure: {
        kind: 'thrown',
        field: 'setupCommand',
        message: expect.stringMatching(/exit code 4[\s\S]*no luck/),
      },
    });
  });

  test.each([
    ['an agent that crashes', { taskPrompt: '$ exit 7' }, 'upstream', /Command failed/],
    [
      'an agent that never ends',
      { taskPrompt: '$ sleep 300', timeoutSeconds: 10 },
      'timeout',
      /^Codex ran longer than 10 s/,
    ],
    [
      'an agent that changes too much',
      { taskPrompt: '$ seq 1 400 | xargs touch' },
      'limit',
      /more than 300 files/,
    ],
  ])(
    '%s fails the node, and no container is left',
    { timeout: 60_000 },
    async (_title, data, kind, message) => {
      const { result } = await run('codex', data);
      expect(result).toMatchObject({ failure: { kind, message: expect.stringMatching(message) } });
      expect(await containersLeft()).toBe(0);
    },
  );

  test('a cancelled run ends the agent at once', async () => {
    const stop = new AbortController();
    const running = run('codex', { taskPrompt: '$ sleep 300' }, { signal: stop.signal });
    await expect.poll(containersLeft, { timeout: 20_000 }).toBe(1);
    stop.abort();
    const { result } = await running;
    expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
    await expect.poll(containersLeft, { timeout: 10_000 }).toBe(0);
  });
});

async function containersLeft(): Promise<number> {
  const label = ['millrace.sandbox=program', `millrace.sandbox.installation=${installation}`];
  const filters = encodeURIComponent(JSON.stringify({ label }));
  return (await sandboxEngine.call<unknown[]>('GET', `/containers/json?all=true&filters=${filters}`)).length;
}
