import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@millrace/engine';
import type { ProgramJob } from '@millrace/nodes/runtime';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../config.ts';
import { catchFailure, programJob, pythonJob, scriptJob } from '../../ports/sandbox.conformance.ts';
import type { Sandboxes, ScriptRun } from '../../ports/sandbox.ts';
import { type FakeContainer, startFakeContainerEngine } from '../../testing/fake-container-engine.ts';
import { openParsers } from '../parsing/parsers.ts';
import { LABEL } from './containers/hardening.ts';
import { openSandboxes } from './sandboxes.ts';

// The effect of these settings in the kernel is tested on a real engine, which not every machine has.

const CODE = 'def main(p): return 1';
const parsers = openParsers();
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of opened.splice(0).toReversed()) await each.close();
});
afterAll(() => parsers.close());

interface Setting {
  /** Settings of the service. */
  readonly settings?: Record<string, string>;
  /** Other variables of its process. */
  readonly variables?: Record<string, string>;
  readonly engine?: Parameters<typeof startFakeContainerEngine>[0];
}

/** The sandboxes of a service on an engine that notes what it is asked for. */
async function service({ settings, variables, engine: faked }: Setting = {}) {
  const engine = await startFakeContainerEngine(faked);
  opened.push({ close: () => engine.stop() });
  const config = readConfig({
    SANDBOX_WARM_CONTAINERS: '0',
    DOCKER_HOST: engine.docker_host,
    SANDBOX_NETWORK: 'net',
    ...settings,
  });
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const env = { ...variables };
  const sandboxes = openSandboxes({ config, env, installation: 'one', parsers, log, now: Date.now });
  opened.push(sandboxes);
  return { sandboxes, engine, created: engine.created, warnings };
}

const scriptRun = (run_id = 'run'): ScriptRun => ({
  run_id,
  http: { connect: () => Promise.reject(new Error('no connection is asked for')) },
});
/** Starts an MCP server that is a program, and ends it. */
async function startProgram({ programs }: Sandboxes, more: Partial<ProgramJob> = {}): Promise<void> {
  const program = await programs.startProgram(programJob(more));
  await program.close();
}
const getMounts = ({ HostConfig }: FakeContainer) => (HostConfig['Mounts'] ?? []) as JsonObject[];

/** The sentence of §8.4 on the container, without its network. */
const HARDENED = {
  User: '65532:65532',
  HostConfig: {
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    Privileged: false,
    SecurityOpt: ['no-new-privileges'],
    Memory: 512 * 1024 * 1024,
    MemorySwap: 512 * 1024 * 1024,
    NanoCpus: 1_000_000_000,
    PidsLimit: 256,
  },
};

const KINDS: readonly [string, (sandboxes: Sandboxes) => Promise<unknown>][] = [
  ['Python tools', (sandboxes) => sandboxes.of('tool').run(pythonJob(CODE))],
  ['the Code node', (sandboxes) => sandboxes.of('code').run(pythonJob(CODE))],
  ['scripts of skills', (sandboxes) => sandboxes.scripts.runScript(scriptJob('print(1)'), scriptRun())],
  ['packages', (sandboxes) => sandboxes.of('code').run(pythonJob(CODE, { requirements: ['six'] }))],
  ['MCP servers that are programs', (sandboxes) => startProgram(sandboxes)],
];

describe('§8.4: containers', () => {
  test.each(KINDS)(
    'of %s are hardened: no root, no rights, nothing to write to, and limits',
    async (_, run) => {
      const { sandboxes, created } = await service();
      await run(sandboxes);
      expect(created.length).toBeGreaterThan(0);
      for (const container of created) expect(container).toMatchObject(HARDENED);
    },
  );

  test.each(KINDS)(
    'of %s have neither a folder of the machine nor the socket of the engine',
    async (_, run) => {
      const { sandboxes, created } = await service();
      await run(sandboxes);
      for (const container of created) {
        expect(container.HostConfig).not.toHaveProperty('Binds');
        expect(getMounts(container).every(({ Type }) => Type === 'volume')).toBe(true);
        // The program of scripts has a proxy of its own.
        const given = JSON.stringify({ ...container, Entrypoint: undefined });
        expect(given).not.toMatch(/\.sock|127\.0\.0\.1/);
      }
    },
  );

  test.each(KINDS)('of %s serve one call, and are removed after it', async (_, run) => {
    const { sandboxes, engine, created } = await service();
    await run(sandboxes);
    const count = created.length;
    expect(engine.removed.toSorted()).toEqual([...created.keys()]);
    await run(sandboxes);
    expect(created.length).toBeGreaterThan(count);
    expect(engine.removed).toHaveLength(created.length);
  });

  test('that wait for code are hardened like the others, and serve one call, too', async () => {
    const { sandboxes, engine, created } = await service({ settings: { SANDBOX_WARM_CONTAINERS: '1' } });
    const used = () => created.filter(({ input }) => input !== undefined);
    // A run that comes before the waiting one has started has a container of its own.
    for (let count = 1; !used().some(({ Labels }) => Labels[LABEL] === 'warm'); count++) {
      await sandboxes.of('tool').run(pythonJob(CODE));
      expect(used()).toHaveLength(count);
      expect(engine.removed).toHaveLength(count);
    }
    await expect.poll(() => created.length - used().length).toBe(1);
    for (const container of created) {
      expect(container.HostConfig).toEqual(created[0]?.HostConfig);
      expect(container).toMatchObject(HARDENED);
    }
  });

  test('of Python tools, and of code and programs without packages, have no network, even when it is allowed', async () => {
    const { sandboxes, created } = await service();
    await sandboxes.of('tool').run(pythonJob(CODE));
    await sandboxes.of('code').run(pythonJob(CODE, { allow_network: true }));
    await startProgram(sandboxes, { allow_network: true });
    expect(created.map(({ HostConfig }) => HostConfig['NetworkMode'])).toEqual(['none', 'none', 'none']);
    expect(created.map(({ input }) => input?.['has_network'])).toEqual([false, false, false]);
  });

  test('of scripts have no network but the guard of the service, and a folder that is writable and of their run', async () => {
    const { sandboxes, created } = await service();
    for (const run_id of ['one', 'one', 'two'])
      await sandboxes.scripts.runScript(scriptJob('print(1)'), scriptRun(run_id));
    expect(created.map(({ HostConfig }) => HostConfig['NetworkMode'])).toEqual(['none', 'none', 'none']);
    const mounts = created.flatMap(getMounts);
    expect(mounts).toMatchObject([{ Target: '/var/tmp' }, { Target: '/var/tmp' }, { Target: '/var/tmp' }]);
    expect(mounts.some(({ ReadOnly }) => ReadOnly === true)).toBe(false);
    const [first, second, other] = mounts.map(({ Source }) => Source);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  test('of scripts mount a whole volume, which engines before 25.0 have as well: only parts of volumes need that one', async () => {
    const { sandboxes, created } = await service({ engine: { info: { ServerVersion: '24.0.9' } } });
    await sandboxes.scripts.runScript(scriptJob('print(1)'), scriptRun());
    expect(created.flatMap(getMounts)).toMatchObject([{ Type: 'volume', Target: '/var/tmp' }]);
    expect(JSON.stringify(created)).not.toContain('Subpath');
  });

  test.each([
    [false, 'none'],
    [true, 'net'],
  ])(
    'packages are installed with a network, and read by another container (codeAllowNetwork %s: network %s)',
    async (allow_network, network) => {
      const { sandboxes, created } = await service();
      const job = pythonJob(CODE, { requirements: ['six==1.17.0'], allow_network });
      expect(await sandboxes.of('code').run(job)).toMatchObject({ result: 1 });
      const [installing, running] = created.slice(-2);
      expect(installing?.input).toMatchObject({ requirements: ['six==1.17.0'], has_network: true });
      expect(installing?.input).not.toHaveProperty('source');
      expect(installing?.HostConfig).toMatchObject({ NetworkMode: 'net' });
      expect(running?.HostConfig).toMatchObject({
        NetworkMode: network,
        ReadonlyRootfs: true,
        Mounts: [{ Target: '/packages', ReadOnly: true }],
      });
      expect(running?.input).toMatchObject({ source: CODE, has_packages: true, has_network: allow_network });
    },
  );

  test('an installation that takes more than 120 s is an error that says so', async () => {
    const { sandboxes, created } = await service({ engine: { is_slow: true } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const settled = vi.fn();
    const failure = catchFailure(sandboxes.of('code').run(pythonJob(CODE, { requirements: ['six'] })));
    void failure.finally(settled);
    await expect.poll(() => created.at(-1)?.input).toMatchObject({ requirements: ['six'] });
    await vi.advanceTimersByTimeAsync(119_000);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failure).toEqual({
      kind: 'timeout',
      message: 'The packages were not installed within 120 s',
    });
  });
});

describe('§8.4: PLATFORM_PYTHON_TOOL_SANDBOX', () => {
  const buildModeOptions = (mode: string) => ({ settings: { PLATFORM_PYTHON_TOOL_SANDBOX: mode } });

  test('is auto where it is not set, and knows no other word', () => {
    expect(readConfig({}).PLATFORM_PYTHON_TOOL_SANDBOX).toBe('auto');
    expect(() => readConfig({ PLATFORM_PYTHON_TOOL_SANDBOX: 'none' })).toThrow(
      'PLATFORM_PYTHON_TOOL_SANDBOX',
    );
  });

  test.each(['auto', 'docker'])('%s: Python tools run in a container', async (mode) => {
    const { sandboxes, created, warnings } = await service(buildModeOptions(mode));
    await sandboxes.of('tool').run(pythonJob(CODE));
    expect(created).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test.each(['auto', 'docker'])(
    '%s: without an engine Python tools fail, and run nowhere else',
    async (mode) => {
      const { sandboxes } = await service({
        settings: { PLATFORM_PYTHON_TOOL_SANDBOX: mode, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
      });
      const failure = await catchFailure(sandboxes.of('tool').run(pythonJob(CODE)));
      expect(failure).toMatchObject({ kind: 'sandbox' });
      expect(failure.message).toContain('no container engine can be reached');
      // The version that people are told to install is the one that the workspace of a run needs.
      expect(failure.message).toContain('Docker Engine 25 or newer');
    },
  );

  test('subprocess: Python tools ask no engine, and the log says that it is no security boundary', async () => {
    const { sandboxes, created, warnings } = await service(buildModeOptions('subprocess'));
    expect(await sandboxes.of('tool').state()).toEqual({ status: 'ready', engine: 'subprocess' });
    await sandboxes
      .of('tool')
      .run(pythonJob(CODE))
      .catch(() => undefined);
    expect(created).toEqual([]);
    expect(warnings.join('')).toContain('no security boundary');
  });

  test('subprocess: the Code node and scripts of skills run in containers all the same', async () => {
    const { sandboxes, created } = await service(buildModeOptions('subprocess'));
    await sandboxes.of('code').run(pythonJob(CODE));
    await sandboxes.scripts.runScript(scriptJob('print(1)'), scriptRun());
    expect(created).toHaveLength(2);
  });
});

describe('§7, §8.4: nothing is run', () => {
  test('on an engine whose interface is too old', async () => {
    const refusal = 'client version 1.41 is too new. Maximum supported API version is 1.40';
    const { sandboxes, created } = await service({ engine: { refusal } });
    for (const [, run] of KINDS) {
      expect(await catchFailure(run(sandboxes))).toMatchObject({
        kind: 'sandbox',
        message: expect.stringContaining('the container engine is older than 20.10.'),
      });
    }
    expect(created).toEqual([]);
  });

  test('on an engine without room, whose reason is for the log alone', async () => {
    const full = 'write /var/lib/docker/tmp/x: no space left on device';
    const { sandboxes, created } = await service({ engine: { full } });
    for (const [, run] of KINDS) {
      const { kind, message } = await catchFailure(run(sandboxes));
      expect(kind).toBe('sandbox');
      expect(message).toContain('the container engine refuses the container');
      expect(message).not.toContain('/var/lib');
    }
    expect(created).toEqual([]);
  });

  test('once an engine that was there is away', async () => {
    const { sandboxes, engine } = await service();
    await sandboxes.of('tool').run(pythonJob(CODE));
    engine.stop();
    for (const [, run] of KINDS) {
      expect(await catchFailure(run(sandboxes))).toMatchObject({
        kind: 'sandbox',
        message: expect.stringContaining('no container engine can be reached'),
      });
    }
  });
});

describe('§7, §8.4: an engine that cannot hold the limits is refused, and nothing is started', () => {
  test.each<[string, JsonObject]>([
    ['Linux containers', { OSType: 'windows' }],
    ['a seccomp profile', { SecurityOptions: null }],
    ['a seccomp profile', { SecurityOptions: ['name=seccomp,profile=unconfined'] }],
    ['limits of memory', { MemoryLimit: false }],
    ['limits of processes', { PidsLimit: false }],
    ['limits of CPU time', { CpuCfsQuota: false }],
  ])('without %s', async (what, info) => {
    const { sandboxes, created } = await service({ engine: { info } });
    for (const [, run] of KINDS) {
      expect(await catchFailure(run(sandboxes))).toMatchObject({
        kind: 'sandbox',
        message: expect.stringContaining(`the container engine lacks ${what}.`),
      });
    }
    expect(created).toEqual([]);
  });
});

describe('§8.4: variables of the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-authorities-'));
  const bundle = join(folder, 'bundle.pem');
  writeFileSync(bundle, 'the bundle');
  afterAll(() => rmSync(folder, { recursive: true }));
  const secrets = Object.fromEntries(
    [
      'DATABASE_URL',
      'REDIS_URL',
      'SECRET_KEY',
      'ENCRYPTION_KEY',
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'GOOGLE_CLIENT_SECRET',
      'OAUTH_CLIENT_SECRET',
      'S3_SECRET_ACCESS_KEY',
    ].map((name) => [name, 'canary']),
  );
  const variables = { ...secrets, LANG: 'de_DE.UTF-8', HTTPS_PROXY: 'http://proxy:1', SSL_CERT_FILE: bundle };
  const own = ['HOME=/tmp', 'PYTHONDONTWRITEBYTECODE=1', 'PYTHONIOENCODING=utf-8:surrogatepass'];
  const proxy = ['HTTPS_PROXY=http://proxy:1', 'https_proxy=http://proxy:1'];

  test.each(KINDS)('containers of %s get the locale, and no secret', async (_, run) => {
    const { sandboxes, created } = await service({ variables });
    await run(sandboxes);
    for (const container of created) {
      expect(container.Env).toEqual(expect.arrayContaining([...own, 'LANG=de_DE.UTF-8']));
      expect(JSON.stringify(container)).not.toContain('canary');
    }
  });

  test('only containers with a network get the proxy; scripts, which have their own, get the bundle of authorities', async () => {
    const { sandboxes, created } = await service({ variables });
    await sandboxes.of('tool').run(pythonJob(CODE));
    await sandboxes.scripts.runScript(scriptJob('print(1)'), scriptRun());
    const job = pythonJob(CODE, { requirements: ['six'], allow_network: true });
    await sandboxes.of('code').run(job);
    const [away, script] = created;
    const connected = created.at(-1);
    for (const container of [away, script]) expect(container?.Env).toEqual([...own, 'LANG=de_DE.UTF-8']);
    expect(away?.input).not.toHaveProperty('authorities');
    expect(script?.input).toMatchObject({ authorities: 'the bundle' });
    expect(connected?.Env).toEqual([...own, 'LANG=de_DE.UTF-8', ...proxy]);
    expect(connected?.input).toMatchObject({ authorities: 'the bundle' });
  });
});
