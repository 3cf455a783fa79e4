import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { catchFailure, programJob, pythonJob, scriptJob } from '../../../ports/sandbox.conformance.ts';
import { startFakeContainerEngine } from '../../../testing/fake-container-engine.ts';
import { openParsers } from '../../parsing/parsers.ts';
import { createContainerSandbox } from './container-sandbox.ts';
import { Containers } from './containers.ts';
import { connectEngine } from './engine.ts';

/** How long an engine may be silent in these tests. */
const ANSWERS_WITHIN_MS = 200;
/** Two silences of the engine, on a machine that does other work. */
const SOON_MS = 5_000;

const parsers = openParsers();
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of opened.splice(0).toReversed()) await each.close();
});
afterAll(() => parsers.close());

function sandboxOn(docker_host: string) {
  const sandbox = createContainerSandbox({
    docker_host,
    engine_answers_within_ms: ANSWERS_WITHIN_MS,
    installation: 'one',
    images: { python: 'p', javascript: 'j', browser: 'b' },
    network: 'net',
    forwarded: { locale: [], network: [], authorities: undefined },
    concurrency: 2,
    warm: 0,
    parsers,
    log: pino({ level: 'silent' }),
    now: Date.now,
  });
  opened.push(sandbox);
  return sandbox;
}
type TestSandbox = ReturnType<typeof sandboxOn>;

const CODE = 'def main(p): return 1';
const http = { connect: () => Promise.reject(new Error('no connection is asked for')) };

const runCode = (sandbox: TestSandbox) => sandbox.run(pythonJob(CODE));
const runPackages = (sandbox: TestSandbox) => sandbox.run(pythonJob(CODE, { requirements: ['six'] }));
const runScript = (sandbox: TestSandbox) => sandbox.runScript(scriptJob('print(1)'), { run_id: 'run', http });
async function runProgram(sandbox: TestSandbox): Promise<void> {
  const program = await sandbox.startProgram(programJob({ timeout_ms: 3_600_000 }));
  await program.close();
}
const KINDS: readonly [string, (sandbox: TestSandbox) => Promise<unknown>][] = [
  ['code', runCode],
  ['packages', runPackages],
  ['scripts', runScript],
  ['programs', runProgram],
];

/** In words that name the engine and what to do, and soon. */
async function expectSilence(work: Promise<unknown>): Promise<void> {
  const began = performance.now();
  const { kind, message } = await catchFailure(work);
  expect(kind).toBe('sandbox');
  expect(message).toContain('The container engine accepts calls and does not answer them. Restart it');
  expect(message).toContain('DOCKER_HOST');
  expect(performance.now() - began).toBeLessThan(SOON_MS);
}

describe('§8.4: an engine that takes calls and answers none', () => {
  test.each(KINDS)('over TCP fails %s soon, in words', async (_, run) => {
    const server = createServer().listen(0, '127.0.0.1');
    opened.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await expectSilence(run(sandboxOn(`tcp://127.0.0.1:${port}`)));
  });

  test('over a socket of the machine fails code soon, in words, and its state says the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-engine-'));
    opened.push({ close: () => rmSync(folder, { recursive: true }) });
    const path = join(folder, 'docker.sock');
    const server = createServer().listen(path);
    opened.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    const sandbox = sandboxOn(`unix://${path}`);
    await expectSilence(runCode(sandbox));
    expect(await sandbox.state()).toMatchObject({
      status: 'unavailable',
      problem: expect.stringContaining('does not answer'),
    });
  });
});

describe('§8.4: an engine that stops answering in the middle', () => {
  /** An engine that can be silenced and heard again, with its own clock. */
  async function engineWith(silent: RegExp | undefined) {
    const state = { silent, off_ms: 0 };
    const engine = await startFakeContainerEngine({
      isSilentOn: (asked) => state.silent?.test(asked) ?? false,
      now: () => Date.now() + state.off_ms,
    });
    opened.push({ close: () => engine.stop() });
    const left = () => engine.created.length - engine.removed.length;
    return { engine, state, left };
  }

  test.each(
    ['create$', 'attach$', 'start$'].flatMap((last) =>
      KINDS.map(([kind, run]) => [kind, last.slice(0, -1), last, run] as const),
    ),
  )(
    'fails %s at "%s" soon, in words; the next run works, and a sweep leaves nothing',
    async (_, __, last, run) => {
      const { engine, state, left } = await engineWith(new RegExp(`${last}|^DELETE`));
      const sandbox = sandboxOn(engine.docker_host);
      await expectSilence(run(sandbox));
      // Nothing is removed while it is silent, and what it was asked for may have been made.
      expect(left()).toBe(1);
      state.silent = undefined;
      await run(sandbox);
      state.off_ms = 2 * 3_600_000;
      await new Containers(connectEngine(engine.docker_host), 'one').sweep();
      expect(left()).toBe(0);
    },
  );

  test('code whose answer cannot arrive is not said to have taken too long', async () => {
    const { engine } = await engineWith(/^RUN|^DELETE/);
    await expectSilence(sandboxOn(engine.docker_host).run(pythonJob(CODE, { timeout_ms: 300 })));
  });

  test('code that does take too long is told so while the engine answers', async () => {
    const { engine, left } = await engineWith(/^RUN/);
    const work = sandboxOn(engine.docker_host).run(pythonJob(CODE, { timeout_ms: 300 }));
    expect(await catchFailure(work)).toMatchObject({ kind: 'timeout' });
    expect(left()).toBe(0);
  });

  test('a program without any output fails within a minute, even if it may run longer', async () => {
    const { engine, left } = await engineWith(/^RUN/);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failure = catchFailure(runProgram(sandboxOn(engine.docker_host)));
    await expect.poll(() => engine.created.at(-1)?.input).toBeDefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failure).toMatchObject({
      kind: 'sandbox',
      message: expect.stringContaining(
        'The container engine has started a container, but it produced no output',
      ),
    });
    await expect.poll(left).toBe(0);
  });

  test('a result that has arrived counts although its container could not be removed, which the next sweep does', async () => {
    const { engine, state, left } = await engineWith(/^DELETE/);
    const containers = new Containers(connectEngine(engine.docker_host, ANSWERS_WITHIN_MS), 'one');
    const ended = await containers.run({
      image: 'p',
      command: [],
      variables: [],
      network: 'none',
      packages: undefined,
      input: '{"marker": "m", "source": ""}',
      timeout_ms: 60_000,
      signal: new AbortController().signal,
    });
    expect(ended).toMatchObject({ why: 'exited', result: 'm{"result":1}' });
    await containers.removeVolume('workspace');
    expect(left()).toBe(1);
    state.silent = undefined;
    await containers.sweep();
    // The container and the volume, long before their time is over.
    expect(engine.removed).toEqual([0, Number.NaN]);
  });

  test('a cancelled run ends although the engine is silent', async () => {
    const { engine } = await engineWith(/^RUN|^DELETE/);
    const leaving = new AbortController();
    const work = catchFailure(sandboxOn(engine.docker_host).run(pythonJob(CODE, { signal: leaving.signal })));
    await expect.poll(() => engine.created.at(-1)?.input).toBeDefined();
    leaving.abort();
    expect(await work).toMatchObject({ kind: 'cancelled' });
  });
});
