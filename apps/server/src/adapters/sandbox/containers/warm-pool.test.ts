import { randomUUID } from 'node:crypto';
import type { CodeJob, CodeOutcome } from '@millrace/nodes/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { pythonJob } from '../../../ports/sandbox.conformance.ts';
import { hasSandboxEngine, sandboxEngine, sandboxOptions } from '../../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './container-sandbox.ts';
import { Containers } from './containers.ts';
import { INSTALLATION, LABEL, LIFETIME } from './hardening.ts';

/** Its containers are counted, so they are of no other test, nor of this one when it was interrupted. */
const options = { ...sandboxOptions, installation: `warm-tests-${randomUUID()}`, warm: 1 };

type Listed = { Id: string; State: string; Labels: Record<string, string> };
const listed = (kind: string, all = true) => {
  const label = [`${LABEL}=${kind}`, `${INSTALLATION}=${options.installation}`];
  const filters = encodeURIComponent(JSON.stringify({ label }));
  return sandboxEngine.call<Listed[]>('GET', `/containers/json?all=${all ? 1 : 0}&filters=${filters}`);
};
const warm = () => listed('warm', false);
const inspect = (id: string) =>
  sandboxEngine.call<{ Config: { Env: string[] }; HostConfig: object }>('GET', `/containers/${id}/json`);

describe.skipIf(!hasSandboxEngine)('containers that are ready, on a real container engine', () => {
  const opened: ReturnType<typeof createContainerSandbox>[] = [];
  const open = (more: Partial<typeof options> & { warm_for_ms?: number } = {}) => {
    const sandbox = createContainerSandbox({ ...options, ...more });
    opened.push(sandbox);
    return sandbox;
  };
  afterEach(async () => {
    for (const sandbox of opened.splice(0)) await sandbox.close();
    const left = [...(await listed('warm')), ...(await listed('run'))];
    if (left.length > 0) throw new Error(`${left.length} containers are left`);
  });
  const BRIEF = 'def main(p):\n  return 1';
  const onlyId = async () => {
    await expect.poll(async () => (await warm()).length, { timeout: 20_000 }).toBe(1);
    return (await warm())[0]?.Id ?? '';
  };

  test('there is none at the start; after the first run one waits, serves the next run, and another follows', async () => {
    const sandbox = open();
    expect(await sandbox.state()).toMatchObject({ status: 'ready' });
    expect(await listed('warm')).toEqual([]);
    await sandbox.run(pythonJob(BRIEF));
    const first = await onlyId();
    const source = 'import time\ndef main(p):\n  print("seen", p.n)\n  time.sleep(1)\n  return p.n + 1';
    const running = sandbox.run(pythonJob(source, { values: { n: 1 } }));
    expect(await listed('run')).toEqual([]);
    expect(await running).toMatchObject({ result: 2, logs: 'seen 1\n' });
    expect(await onlyId()).not.toBe(first);
  }, 30_000);

  test('each serves one run, so nothing of a run is in the next one', async () => {
    const sandbox = open();
    const leave =
      'import os, math\ndef main(p):\n  math.left = 1\n  open("/tmp/left", "w").write("x")\n  return 1';
    const look = 'import os, math\ndef main(p):\n  return [hasattr(math, "left"), os.listdir("/tmp")]';
    const ids = new Set<string>();
    for (const source of [leave, leave, look]) {
      const { result } = await sandbox.run(pythonJob(source));
      if (source === look) expect(result).toEqual([false, []]);
      ids.add(await onlyId());
    }
    expect(ids.size).toBe(3);
  }, 60_000);

  test('§8.4: it has the same limits and variables as a container that is started for a run', async () => {
    const sandbox = open();
    const endless = 'import time\ndef main(p):\n  time.sleep(3)';
    const running = sandbox.run(pythonJob(endless));
    await expect.poll(async () => (await listed('run')).length, { timeout: 20_000 }).toBe(1);
    const cold = await inspect((await listed('run'))[0]?.Id ?? '');
    await running;
    const ready = await inspect(await onlyId());
    expect(ready.HostConfig).toEqual(cold.HostConfig);
    expect(ready.Config.Env).toEqual(cold.Config.Env);
    expect(ready.HostConfig).toMatchObject({ NetworkMode: 'none', ReadonlyRootfs: true, CapDrop: ['ALL'] });
  }, 30_000);

  test('files, errors, time and a cancelled run are as in other containers', async () => {
    const sandbox = open();
    const run = async (source: string, more?: Partial<CodeJob>) => {
      await onlyId();
      return sandbox.run(pythonJob(source, more)).catch((error: unknown) => error);
    };
    await sandbox.run(pythonJob(BRIEF));
    const copy =
      'import shutil\ndef main(p):\n  shutil.copy(_INPUT_DIR + "/a", _OUTPUT_DIR)\n  return "x" * 9_000_000';
    const files = new Map<string, Buffer>([['a', Buffer.alloc(15_000_000, 'a')]]);
    const copied = (await run(copy, { files })) as CodeOutcome;
    // Comparing that many bytes one by one takes minutes.
    expect(Buffer.compare(copied.files?.get('a') ?? Buffer.alloc(0), files.get('a') ?? Buffer.alloc(1))).toBe(
      0,
    );
    const large = 'def main(p):\n  return "x" * 11_000_000';
    expect(await run(large)).toMatchObject({ failure: { message: 'The code returns more than 10 MB' } });
    expect(await run('def main(p):\n  return 1 / 0')).toMatchObject({ failure: { details: { line: 2 } } });
    const endless = 'import time\ndef main(p):\n  time.sleep(60)';
    expect(await run(endless, { timeout_ms: 500 })).toMatchObject({ failure: { kind: 'timeout' } });
    const signal = AbortSignal.timeout(500);
    expect(await run(endless, { signal })).toMatchObject({ failure: { kind: 'cancelled' } });
  }, 60_000);

  test('JavaScript and TypeScript share one, apart from that of Python', async () => {
    const sandbox = open();
    const more = { language: 'javascript', is_typescript: true } as const;
    await sandbox.run(pythonJob(BRIEF));
    const first = await onlyId();
    await sandbox.run(pythonJob('const main = () => 1', { language: 'javascript' }));
    await expect.poll(async () => (await warm()).length, { timeout: 20_000 }).toBe(2);
    expect((await sandbox.run(pythonJob('const main = (n: object) => 2', more))).result).toBe(2);
    expect((await warm()).map(({ Id }) => Id)).toContain(first);
    await expect.poll(async () => (await warm()).length, { timeout: 20_000 }).toBe(2);
  }, 30_000);

  test.each([
    ['killed', 'kill'],
    ['paused', 'pause'],
    ['removed', ''],
  ])(
    'one that was %s is noticed, and the run has a container of its own',
    async (_, how) => {
      const sandbox = open();
      await sandbox.run(pythonJob(BRIEF));
      const id = await onlyId();
      await (how === ''
        ? sandboxEngine.call('DELETE', `/containers/${id}?force=1`)
        : sandboxEngine.call('POST', `/containers/${id}/${how}`));
      expect((await sandbox.run(pythonJob('def main(p):\n  return 7'))).result).toBe(7);
      await expect.poll(async () => (await listed('warm')).map(({ Id }) => Id)).not.toContain(id);
    },
    30_000,
  );

  test('one that dies is removed at once, also when no run comes', async () => {
    const sandbox = open();
    await sandbox.run(pythonJob(BRIEF));
    await sandboxEngine.call('POST', `/containers/${await onlyId()}/kill`);
    await expect.poll(async () => await listed('warm'), { timeout: 10_000 }).toEqual([]);
  }, 30_000);

  test('without code for a while it is removed, and none takes its place', async () => {
    const sandbox = open({ warm_for_ms: 3_000 });
    await sandbox.run(pythonJob(BRIEF));
    await onlyId();
    await expect.poll(async () => await listed('warm'), { timeout: 10_000 }).toEqual([]);
    expect((await sandbox.run(pythonJob('def main(p):\n  return 7'))).result).toBe(7);
  }, 30_000);

  test('at most as many wait as the setting says; 0 switches it off', async () => {
    const two = open({ warm: 2 });
    await Promise.all([1, 2, 3, 4].map(() => two.run(pythonJob(BRIEF))));
    await expect.poll(async () => (await warm()).length, { timeout: 20_000 }).toBe(2);
    await two.run(pythonJob(BRIEF));
    await two.close();
    expect(await listed('warm')).toEqual([]);
    const none = open({ warm: 0 });
    await none.run(pythonJob(BRIEF));
    await none.close();
    expect(await listed('warm')).toEqual([]);
  }, 60_000);

  test('closing the sandbox also removes one that is being started', async () => {
    const sandbox = open();
    await sandbox.run(pythonJob(BRIEF));
    await sandbox.close();
    expect(await listed('warm')).toEqual([]);
  });

  test('code with packages or more time than usual is not run in it', async () => {
    const sandbox = open();
    await sandbox.run(pythonJob(BRIEF));
    const id = await onlyId();
    await sandbox.run(pythonJob('def main(p):\n  return 1', { timeout_ms: 90_000 }));
    await sandbox
      .run(pythonJob('def main(p):\n  return 1', { requirements: ['not-there'] }))
      .catch(() => undefined);
    expect((await warm()).map(({ Id }) => Id)).toEqual([id]);
  }, 60_000);

  test('what a process leaves behind that ended without warning is removed when its time is over', async () => {
    const sandbox = open();
    await sandbox.run(pythonJob(BRIEF));
    await onlyId();
    // Five minutes idle, one for a run that takes it last, and one before the sweep removes it.
    expect((await warm())[0]?.Labels[LIFETIME]).toBe('420000');
    const containers = new Containers(sandboxEngine, options.installation);
    const left = await containers.makeReady({
      kind: 'warm',
      image: options.images.python,
      command: ['python3', '-c', 'input()'],
      variables: [],
      network: 'none',
      packages: undefined,
      timeout_ms: -70_000,
    });
    expect(await containers.sweep()).toBeGreaterThanOrEqual(1);
    expect(await containers.isRunning(left)).toBe(false);
  }, 30_000);
});
