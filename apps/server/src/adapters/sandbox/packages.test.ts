import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFailure } from '@millrace/engine';
import type { CodeJob, ProgramJob } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catchFailure, programJob, pythonJob, scriptJob } from '../../ports/sandbox.conformance.ts';
import type { ProgramSandbox, Sandbox, ScriptSandbox } from '../../ports/sandbox.ts';
import { pythonWheel } from '../../testing/sandbox/python-wheel.ts';
import { hasSandboxEngine, sandboxEngine, sandboxOptions } from '../../testing/sandbox-engine.ts';
import { egressToName } from '../egress/testing/servers.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';

/** A version that no earlier run has installed. */
const VERSION = `1.0.${Date.now()}`;

/** Programs that write back a line, with what they were started with. */
const PYTHON_ECHO = 'import sys; print(input(), sys.argv[1:], VERSION)';
const NODE_ECHO = `#!/usr/bin/env node
process.stdin.on('data', (line) => console.log(String(line).trim(), process.argv.slice(2), require('./main.js').version));`;

function tarball(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-probe-package-'));
  mkdirSync(join(folder, 'package'));
  // A script of a package would leave this file; scripts are not run.
  const scripts = { postinstall: 'echo x > was-run' };
  const manifest = { name: 'probe-package', version: VERSION, main: 'main.js', scripts, bin: './cli.js' };
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
  const main = `exports.wasRun = require('node:fs').existsSync(__dirname + '/was-run'); exports.version = '${VERSION}';`;
  writeFileSync(join(folder, 'package', 'main.js'), main);
  writeFileSync(join(folder, 'package', 'cli.js'), NODE_ECHO);
  execFileSync('tar', ['-C', folder, '-czf', join(folder, 'p.tgz'), 'package']);
  const bytes = readFileSync(join(folder, 'p.tgz'));
  rmSync(folder, { recursive: true });
  return bytes;
}

describe.skipIf(!hasSandboxEngine)('§8.4: packages', () => {
  const asked: string[] = [];
  let server: Server;
  let sandbox: Sandbox & ScriptSandbox & ProgramSandbox;
  let port: number;

  beforeAll(async () => {
    const files = {
      wheel: await pythonWheel('probe_package', VERSION, `def main():\n  ${PYTHON_ECHO}\n`),
      tarball: tarball(),
    };
    const name = `probe_package-${VERSION}-py3-none-any.whl`;
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/simple/probe-package/') {
        return response.setHeader('content-type', 'text/html').end(`<a href="/${name}">${name}</a>`);
      }
      if (request.url === `/${name}`) return response.end(files.wheel);
      if (request.url === '/simple/slow-package/') return;
      if (request.url === '/p.tgz') return response.end(files.tarball);
      if (request.url === '/probe-package') {
        const dist = { tarball: `http://127.0.0.1:${port}/p.tgz` };
        const versions = {
          [VERSION]: {
            name: 'probe-package',
            version: VERSION,
            main: 'main.js',
            bin: { 'probe-package': './cli.js' },
            dist,
          },
        };
        return response.end(
          JSON.stringify({ name: 'probe-package', 'dist-tags': { latest: VERSION }, versions }),
        );
      }
      response.writeHead(404).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    sandbox = createContainerSandbox({
      ...sandboxOptions,
      // The engine of the tests has no bridge; the service refuses this network in its settings.
      network: 'host',
      forwarded: {
        locale: [],
        network: [
          `PIP_INDEX_URL=http://127.0.0.1:${port}/simple`,
          `NPM_CONFIG_REGISTRY=http://127.0.0.1:${port}`,
        ],
        authorities: undefined,
      },
    });
  });
  afterAll(async () => {
    await sandbox.close();
    server.closeAllConnections();
    server.close();
    const { Volumes } = await sandboxEngine.call<{ Volumes: { Name: string }[] | null }>('GET', '/volumes');
    const own = (Volumes ?? []).filter(({ Name }) => Name.startsWith('millrace-packages-'));
    await Promise.all(
      own.map(({ Name }) => sandboxEngine.call('DELETE', `/volumes/${Name}`).catch(() => undefined)),
    );
  });

  const reading = `
import os, urllib.request
import probe_package
def main(params):
    found = {"version": probe_package.VERSION, "uid": os.getuid()}
    try:
        open("/packages/site/probe_package.py", "a")
        found["write"] = "it works"
    except OSError as error:
        found["write"] = type(error).__name__
    try:
        found["net"] = urllib.request.urlopen("http://127.0.0.1:%d/p.tgz" % params.port, timeout=3).status
    except OSError as error:
        found["net"] = "refused"
    return found
`;
  const job = (more: Partial<CodeJob> = {}): CodeJob =>
    pythonJob(reading, { values: { port }, requirements: [`probe-package==${VERSION}`], ...more });

  test('a first container installs with the network, a second reads them and has no network', async () => {
    const outcome = await sandbox.run(job());
    expect(outcome.result).toEqual({ version: VERSION, uid: 65_532, write: 'OSError', net: 'refused' });
    expect(outcome.install).toMatchObject({ ok: true, tool: 'pip' });
    expect(outcome.install.log).toContain('Successfully installed');
  });

  test('the same packages are installed once, also when their lines are in another order', async () => {
    await sandbox.run(job());
    const before = asked.length;
    expect((await sandbox.run(job())).result).toMatchObject({ version: VERSION });
    expect(asked).toHaveLength(before);
  });

  test('codeAllowNetwork lets the second container into the network', async () => {
    expect((await sandbox.run(job({ allow_network: true }))).result).toMatchObject({ net: 200 });
  });

  test('without packages there is no network, even when it is allowed', async () => {
    const source = reading.replace('import probe_package', 'class probe_package: VERSION = "none"');
    const { result } = await sandbox.run(job({ source, requirements: [], allow_network: true }));
    expect(result).toMatchObject({ version: 'none', net: 'refused' });
  });

  test('§8.4: a script of a skill has its packages, and connections through the guard', async () => {
    const source = `
import probe_package, urllib.request
print(probe_package.VERSION, urllib.request.urlopen("http://registry.test:${port}/p.tgz", timeout=3).status)`;
    const script = scriptJob(source, { requirements: [`probe-package==${VERSION}`] });
    const outcome = await sandbox.runScript(script, { run_id: 'run', http: egressToName('registry.test') });
    await sandbox.dropWorkspace('run');
    expect(outcome.printed).toBe(`${VERSION} 200\n`);
  });

  test('two that need the same at the same time wait for one installation', async () => {
    const requirements = [`probe-package===${VERSION}`];
    const before = asked.filter((path) => path.endsWith('.whl')).length;
    const both = await Promise.all([sandbox.run(job({ requirements })), sandbox.run(job({ requirements }))]);
    expect(both.map(({ result }) => result)).toMatchObject([{ version: VERSION }, { version: VERSION }]);
    expect(asked.filter((path) => path.endsWith('.whl')).length - before).toBe(1);
  });

  test('a package that does not exist is an error with the words of the installer, and leaves nothing', async () => {
    const failure = await catchFailure(sandbox.run(job({ requirements: ['no-such-package'] })));
    expect(failure).toMatchObject({ kind: 'upstream', details: { install: { ok: false, tool: 'pip' } } });
    expect(failure?.message).toContain('No matching distribution found for no-such-package');
  });

  test('a cancelled run ends an installation that hangs', async () => {
    const cancelled = new AbortController();
    setTimeout(() => cancelled.abort(), 4_000);
    const requirements = ['slow-package'];
    const failure = await catchFailure(sandbox.run(job({ requirements, signal: cancelled.signal })));
    expect(failure).toMatchObject({ kind: 'cancelled' });
  });

  test('of JavaScript come from npm, and their scripts are not run', async () => {
    const source = `const { version, wasRun } = require('probe-package');
      const main = async () => [version, wasRun, (await import('probe-package')).default.version];`;
    const more = { language: 'javascript', requirements: [`probe-package@${VERSION}`] } as const;
    const outcome = await sandbox.run(pythonJob(source, more));
    expect(outcome.result).toEqual([VERSION, false, VERSION]);
    expect(outcome.install).toMatchObject({ ok: true, tool: 'npm' });
  });

  /** The first line that a program writes when it is given one. */
  async function readEcho(more: Partial<ProgramJob>): Promise<string> {
    let text = '';
    let ended: NodeFailure | undefined;
    const job = programJob({
      command: 'probe-package',
      args: ['one', 'two words'],
      requirements: [`probe-package==${VERSION}`],
      onOutput: (piece) => {
        text += new TextDecoder().decode(piece);
      },
      onEnd: (failure) => {
        ended = failure;
      },
      ...more,
    });
    const program = await sandbox.startProgram(job);
    await program.write('hello\n');
    // The program ends after its line, often before this looks: why it ended counts only where it wrote nothing.
    await expect.poll(() => text || ended?.failure.message || '', { timeout: 10_000 }).toContain('\n');
    await program.close();
    return text.trim();
  }

  test('§8.4: a program starts from its packages, which are installed before (uvx)', async () => {
    expect(await readEcho({})).toBe(`hello ['one', 'two words'] ${VERSION}`);
  });

  test('§8.4: a program starts from its packages, which are installed before (npx)', async () => {
    const requirements = [`probe-package@${VERSION}`];
    const named = { language: 'javascript', command: '', main_of: 'probe-package', requirements } as const;
    expect(await readEcho(named)).toBe(`hello [ 'one', 'two words' ] ${VERSION}`);
  });

  test('a command that the packages do not have is refused with those that they have', async () => {
    const failure = await catchFailure(readEcho({ command: 'other' }));
    expect(failure).toMatchObject({ kind: 'params', final: true });
    expect(failure?.message).toContain('the packages have the commands probe-package');
  });
});
