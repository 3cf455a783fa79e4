import { randomUUID } from 'node:crypto';
import type { Json } from '@millrace/engine';
import type { CodeJob } from '@millrace/nodes/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { catchFailure, pythonJob, sandboxConformance } from '../../ports/sandbox.conformance.ts';
import {
  hasPython,
  hasSandboxEngine,
  sandboxEngine,
  sandboxImage,
  sandboxOptions,
} from '../../testing/sandbox-engine.ts';
import { measureLoopDelay } from '../parsing/testing/loop-delay.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { Containers } from './containers/containers.ts';
import { engineAddress } from './containers/engine.ts';
import { hardened, INSTALLATION, LABEL, LIFETIME } from './containers/hardening.ts';
import { ALLOWED_MODULES, createSubprocessSandbox } from './subprocess-sandbox.ts';
import { forwardedVariables } from './variables.ts';

/** An installation apart: other tests use the same engine, and an earlier run may have left containers. */
const options = { ...sandboxOptions, installation: `sandbox-tests-${randomUUID()}` };

type Listed = { Id: string; Labels: Record<string, string> };
const listContainers = (value: string) => {
  const label = [`${LABEL}=${value}`, `${INSTALLATION}=${options.installation}`];
  const filters = encodeURIComponent(JSON.stringify({ label }));
  return sandboxEngine.call<Listed[]>('GET', `/containers/json?all=1&filters=${filters}`);
};

describe.skipIf(!hasPython)('§8.4: the mode subprocess', () => {
  sandboxConformance('a process of this machine', () => createSubprocessSandbox(options));

  const sandbox = createSubprocessSandbox(options);

  test('results of many values are read without blocking the event loop', async () => {
    const job = pythonJob('def main(p):\n  return [{} for _ in range(500_000)]');
    let result: Json = null;
    const delay_ms = await measureLoopDelay(async () => {
      ({ result } = await sandbox.run(job));
    });
    expect(result).toHaveLength(500_000);
    expect(delay_ms).toBeLessThan(1_000);
  }, 60_000);

  test('§8.4: imports only what computes', async () => {
    const source =
      'import math, urllib.parse\nfrom datetime import date\ndef main(p):\n  return math.floor(2.5)';
    expect((await sandbox.run(pythonJob(source))).result).toBe(2);
    for (const module of [
      'os',
      'subprocess',
      'socket',
      'ctypes',
      'sys',
      'pathlib',
      'urllib.request',
      'importlib',
    ]) {
      const failure = await catchFailure(
        sandbox.run(pythonJob(`import ${module}\ndef main(p):\n  return 1`)),
      );
      expect(failure.message).toContain(`The module ${module} may not be imported`);
    }
    const failure = await catchFailure(
      sandbox.run(pythonJob('def main(p):\n  return open("/etc/passwd").read()')),
    );
    expect(failure.message).toContain("name 'open' is not defined");
  });

  test.each([
    ['__import__', '__import__("os")', 'The module os may not be imported'],
    ['__import__ with another name', '__import__("os", {"__name__": "json"})', 'The module os may not'],
    [
      'another __name__',
      'global __name__\n  __name__ = "json"\n  import socket',
      'The module socket may not',
    ],
    ['__builtins__', '__builtins__["__import__"]("os")', 'The module os may not'],
    [
      'importlib',
      'import typing\n  typing.sys.modules["importlib"].import_module("sqlite3")',
      'The module sqlite3 may not',
    ],
    [
      'a module that is imported already',
      'import typing\n  typing.sys.modules["importlib"].import_module("socket").socket()',
      'may not be',
    ],
    ['a frame', 'import typing\n  typing.sys._getframe(1).f_globals["os"].system("id")', 'may not be'],
    ['eval', 'eval("1")', "name 'eval' is not defined"],
    [
      'exec of true builtins',
      'import typing\n  typing.sys.modules["builtins"].exec("import os")',
      'may not be made from texts',
    ],
    [
      'compile of true builtins',
      'import typing\n  typing.sys.modules["builtins"].compile("import os", "/usr/lib/python3/os.py", "exec")',
      'may not be made from texts',
    ],
    [
      '__globals__',
      'import random\n  random.Random.shuffle.__globals__["_os"].system("id")',
      'os.system may not be used',
    ],
    [
      '__subclasses__',
      '[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["system"]("id")',
      'os.system may not be used',
    ],
    ['io.open', 'import io\n  io.open("/etc/passwd")', 'Files may not be opened'],
    ['io.FileIO', 'import io\n  io.FileIO("/tmp/written", "w")', 'Files may not be opened'],
    ['a reading descriptor', 'import random\n  random._os.open("/etc/passwd", 0)', 'Files may not be opened'],
    ['a directory', 'import random\n  random._os.listdir("/")', 'os.listdir may not be used'],
    ['a new process', 'import random\n  random._os.fork()', 'os.fork may not be used'],
  ])('§8.4: refuses what code reaches by %s', async (_way, line, message) => {
    const failure = await catchFailure(sandbox.run(pythonJob(`def main(p):\n  ${line}\n  return 1`)));
    expect(failure.message).toContain(message);
  });

  test('§8.4: allowed modules work completely, including what they load and read themselves', async () => {
    const imports = `import ${ALLOWED_MODULES.join(', ')}`;
    const source = `${imports}
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
from datetime import datetime
@dataclass
class Point:
    x: int
async def main(p):
    Pair = namedtuple("Pair", "a b")
    Enum("Color", "RED")
    typing.get_type_hints(Point)
    uuid.uuid1()
    rows = list(csv.reader(io.StringIO("1,2")))
    zone = datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).utcoffset().seconds
    when = datetime.strptime("2024-02-03", "%Y-%m-%d").day + time.strptime("05", "%d").tm_mday
    __import__("math")
    "x".encode("idna")
    return [Pair(1, 2).b, rows, zone, when, str(decimal.Decimal("1.5")), hashlib.sha256(b"").hexdigest()[:4], Point(3).x]
`;
    const { result } = await sandbox.run(pythonJob(source));
    expect(result).toEqual([2, [['1', '2']], 7200, 8, '1.5', 'e3b0', 3]);
  });

  test('§8.4: has the locale of the service, and no secret of its variables', async () => {
    const locale = ['LANG=de_DE.UTF-8'];
    const forwarded = { locale, network: ['HTTPS_PROXY=http://proxy:1'], authorities: undefined };
    const other = createSubprocessSandbox({ ...options, forwarded });
    process.env['PROBE_API_KEY'] = 'canary-key';
    try {
      const source = 'import random\ndef main(p):\n  return dict(random._os.environ)';
      const { result } = await other.run(pythonJob(source));
      expect(result).toMatchObject({ LANG: 'de_DE.UTF-8' });
      expect(result).not.toHaveProperty('HTTPS_PROXY');
      expect(JSON.stringify(result)).not.toContain('canary');
    } finally {
      delete process.env['PROBE_API_KEY'];
    }
  });

  test('§8.4: runs neither JavaScript nor packages nor anything with a network', async () => {
    const refused: Partial<CodeJob>[] = [
      { language: 'javascript' },
      { requirements: ['six'] },
      { allow_network: true },
    ];
    for (const more of refused) {
      const failure = await catchFailure(sandbox.run(pythonJob('def main(p): return 1', more)));
      expect(failure).toMatchObject({ kind: 'sandbox' });
    }
  });
});

describe('what a sandbox may see of the service', () => {
  test('§8.4: proxy, bundle of authorities and locale, and nothing else', () => {
    const forwarded = forwardedVariables({
      LANG: 'de_DE.UTF-8',
      https_proxy: 'http://proxy.example:3128',
      NO_PROXY: 'localhost',
      DATABASE_URL: 'postgres://canary',
      ENCRYPTION_KEY: 'canary',
      SECRET_KEY: 'canary',
      OPENAI_API_KEY: 'canary',
      AWS_SECRET_ACCESS_KEY: 'canary',
      PATH: '/canary',
    });
    expect(forwarded).toEqual({
      locale: ['LANG=de_DE.UTF-8'],
      network: [
        'HTTPS_PROXY=http://proxy.example:3128',
        'https_proxy=http://proxy.example:3128',
        'NO_PROXY=localhost',
        'no_proxy=localhost',
      ],
      authorities: undefined,
    });
  });

  test('§8.4: an address with a password is withheld', () => {
    const { network } = forwardedVariables({
      HTTP_PROXY: 'http://me:canary@proxy:1',
      HTTPS_PROXY: 'me:canary@proxy:1',
      PIP_INDEX_URL: 'https://token@index/simple',
    });
    expect(network).toEqual([]);
  });
});

describe('without a container engine', () => {
  const sandbox = createContainerSandbox({ ...options, docker_host: 'unix:///nowhere/docker.sock' });
  afterAll(() => sandbox.close());

  test('§7: nothing is run, and the error says what is missing and not where it was looked for', async () => {
    const failure = await catchFailure(sandbox.run(pythonJob('def main(p): return 1')));
    expect(failure).toMatchObject({ kind: 'sandbox' });
    expect(failure.message).toContain('no container engine can be reached');
    expect(failure.message).toContain('DOCKER_HOST');
    expect(failure.message).not.toContain('nowhere');
    expect(await sandbox.state()).toEqual({ status: 'unavailable', problem: failure.message });
  });

  test('an address is a socket or a host with a port', () => {
    expect(engineAddress(undefined)).toEqual({ socketPath: '/var/run/docker.sock' });
    expect(engineAddress('unix:///run/a.sock')).toEqual({ socketPath: '/run/a.sock' });
    expect(engineAddress('tcp://engine')).toEqual({ host: 'engine', port: 2375 });
    expect(engineAddress('tcp://[::1]:99')).toEqual({ host: '::1', port: 99 });
    expect(engineAddress('ssh://engine')).toBeUndefined();
    expect(engineAddress('unix://relative')).toBeUndefined();
  });
});

describe.skipIf(!hasSandboxEngine)('on a real container engine', () => {
  sandboxConformance('a container', () => createContainerSandbox(options));

  const sandbox = createContainerSandbox(options);
  afterAll(() => sandbox.close());

  test('§7: a missing image is named with the command that gets it', async () => {
    const images = { python: 'missing/image:1', javascript: sandboxImage, browser: 'missing/browser:1' };
    const other = createContainerSandbox({ ...options, images });
    const failure = await catchFailure(other.run(pythonJob('def main(p): return 1')));
    expect(failure).toMatchObject({ kind: 'sandbox' });
    expect(failure.message).toContain('docker pull missing/image:1');
    expect(failure.message).toContain('SANDBOX_PYTHON_IMAGE');
    expect(await other.state()).toEqual({ status: 'unavailable', problem: failure.message });
    await other.close();
  });

  test('§8.4: code that closes its outputs is ended at its time', async () => {
    const source = 'import os, time\ndef main(p):\n  os.closerange(0, 64)\n  time.sleep(60)';
    const failure = await catchFailure(sandbox.run(pythonJob(source, { timeout_ms: 1_500 })));
    expect(failure).toMatchObject({ kind: 'timeout' });
    expect(await listContainers('run')).toEqual([]);
  });

  test('nothing is left of a run, of a run that fails and of one that is ended', async () => {
    await sandbox.run(pythonJob('def main(p): return 1'));
    await catchFailure(sandbox.run(pythonJob('nothing')));
    const endless = 'import time\ndef main(p):\n  time.sleep(60)';
    await catchFailure(sandbox.run(pythonJob(endless, { timeout_ms: 500 })));
    expect(await listContainers('run')).toEqual([]);
  });

  test('§8.4: what a process leaves behind that ended without warning is killed and removed by the next', async () => {
    const left = async (lifetime_ms: number, installation = options.installation) => {
      const command = ['python3', '-c', 'import time; time.sleep(600)'];
      const plan = {
        image: sandboxImage,
        command,
        variables: [],
        network: 'none',
        packages: undefined,
        installation,
        lifetime_ms,
      };
      const { Id } = await sandboxEngine.call<{ Id: string }>('POST', '/containers/create', hardened(plan));
      await sandboxEngine.call('POST', `/containers/${Id}/start`);
      return Id;
    };
    const over = await left(-10_000);
    const inTime = await left(600_000);
    const foreign = await left(-10_000, 'another');
    const containers = new Containers(sandboxEngine, options.installation);
    const made = [over, inTime, foreign];
    const kept = async () => {
      const listed = await sandboxEngine.call<{ Id: string }[]>('GET', '/containers/json?all=1');
      return made.filter((id) => listed.some(({ Id }) => Id === id));
    };
    expect(await containers.sweep()).toBeGreaterThanOrEqual(1);
    expect(await kept()).toEqual([inTime, foreign]);
    await new Containers(sandboxEngine, 'another').sweep();
    expect(await kept()).toEqual([inTime]);
    await sandboxEngine.call('DELETE', `/containers/${inTime}?force=1`);
  });

  test('a container expires after its time', async () => {
    const running = sandbox.run(
      pythonJob('import time\ndef main(p):\n  time.sleep(2)', { timeout_ms: 5_000 }),
    );
    await expect.poll(async () => (await listContainers('run')).length).toBe(1);
    const [container] = await listContainers('run');
    expect(container?.Labels[LIFETIME]).toBe('65000');
    await running;
  });

  test('as many run at once as allowed, the others wait and may be cancelled', async () => {
    const narrow = createContainerSandbox({ ...options, concurrency: 1 });
    const cancelled = new AbortController();
    const first = narrow.run(pythonJob('import time\ndef main(p):\n  time.sleep(1)\n  return 1'));
    const second = catchFailure(narrow.run(pythonJob('def main(p): return 2', { signal: cancelled.signal })));
    const third = narrow.run(pythonJob('def main(p): return 3'));
    setTimeout(() => cancelled.abort(), 300);
    expect(await second).toMatchObject({ kind: 'cancelled' });
    expect((await first).result).toBe(1);
    expect((await third).result).toBe(3);
    await narrow.close();
  });

  describe('TypeScript', () => {
    const run = (source: string) =>
      sandbox.run(pythonJob(source, { language: 'javascript', is_typescript: true }));

    test('is run without its types, and nothing but the code writes to its log', async () => {
      const source =
        'type Name = string;\nfunction main<T extends { name: Name }>(params: T): T {\n  console.log(params.name!);\n  return params satisfies T;\n}';
      expect(
        await sandbox.run(
          pythonJob(source, { language: 'javascript', is_typescript: true, values: { name: 'a' } }),
        ),
      ).toMatchObject({
        result: { name: 'a' },
        logs: 'a\n',
      });
    });

    test('keeps the lines of the code in errors', async () => {
      const source = 'interface Values {\n  n: number;\n}\nfunction main(params: Values) {\n  null.x;\n}';
      expect(await catchFailure(run(source))).toMatchObject({
        kind: 'thrown',
        message: expect.stringContaining('Line 5: TypeError'),
      });
    });

    test.each([
      ['a mistake in the grammar', 'function main(: number) {}'],
      ['an enum, which is more than types', 'enum Size { small }\nconst main = () => Size.small'],
    ])('refuses %s', async (_, source) => {
      const { kind, message } = await catchFailure(run(source));
      expect(kind).toBe('thrown');
      expect(message).toMatch(/TypeScript|SyntaxError|expected/i);
    });
  });

  describe('JavaScript', () => {
    const run = (source: string, more: Partial<CodeJob> = {}) =>
      sandbox.run(pythonJob(source, { language: 'javascript', ...more }));

    test('hands values in and out as JSON, and what was printed as log', async () => {
      const source =
        'async function main(params) {\n  console.log("from", params.name);\n  return { ...params, n: 1 };\n}';
      expect(await run(source, { values: { name: 'ü' } })).toMatchObject({
        result: { name: 'ü', n: 1 },
        logs: 'from ü\n',
      });
      expect((await run('module.exports = () => undefined')).result).toBeNull();
      expect(
        (await run('const main = async () => (await import("node:path")).basename("/a/b")')).result,
      ).toBe('b');
    });

    test.each([
      ['what is thrown', 'function main() {\n\n  null.x;\n}', 'Line 3: TypeError'],
      ['a mistake in the grammar', 'function main() {\n  return (1;\n}', 'Line 2: SyntaxError'],
      [
        'a promise that fails aside',
        'function main() {\n  Promise.reject(new Error("aside"));\n  return new Promise(() => {});\n}',
        'Line 2: Error: aside',
      ],
      ['a promise without end', 'const main = () => new Promise(() => {});', 'ended before main returned'],
      ['no function', 'const x = 1;', 'no function main'],
      ['a circle', 'function main() { const a = {}; a.a = a; return a; }', 'not JSON'],
      ['a function', 'const main = () => () => 1;', 'not JSON'],
      ['an exit', 'function main() { process.exit(3); }', 'ended before main returned'],
    ])('%s is an error in words', async (_, source, text) => {
      const failure = await catchFailure(run(source));
      expect(failure).toMatchObject({ kind: 'thrown' });
      expect(failure.message).toContain(text);
      expect(JSON.stringify(failure)).not.toContain('[eval]');
    });

    test('§8.4: more memory than 512 MB is an error that says so', async () => {
      const source = 'function main() { const a = []; for (;;) a.push(new Array(100000).fill(1.5)); }';
      const failure = await catchFailure(run(source));
      expect(failure).toMatchObject({ kind: 'limit', message: 'The code needs more than 512 MB of memory' });
    });
  });
});
