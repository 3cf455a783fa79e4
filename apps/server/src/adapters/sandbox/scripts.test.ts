import type { ScriptJob } from '@millrace/nodes/runtime';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { catchFailure, scriptJob } from '../../ports/sandbox.conformance.ts';
import { hasSandboxEngine, sandboxEngine, sandboxOptions } from '../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { INSTALLATION, LABEL } from './containers/hardening.ts';

/** Its containers and volumes are counted, so they are of no other test. */
const options = { ...sandboxOptions, installation: 'script-tests' };

const around = (run_id: string) => ({
  run_id,
  http: { connect: () => Promise.reject(new Error('no network in this test')) },
});

test('§7: without a container engine no script is run, and the error says what is missing', async () => {
  const sandbox = createContainerSandbox({ ...options, docker_host: 'unix:///nowhere/docker.sock' });
  const failure = await catchFailure(sandbox.runScript(scriptJob('print(1)'), around('run')));
  expect(failure).toMatchObject({ kind: 'sandbox' });
  expect(failure.message).toContain('DOCKER_HOST');
  await sandbox.close();
});

describe.skipIf(!hasSandboxEngine)('§8.4: scripts of skills on a real container engine', () => {
  const sandbox = createContainerSandbox(options);
  afterAll(() => sandbox.close());
  const run = (source: string, more?: Partial<ScriptJob>, files?: Record<string, string>) =>
    sandbox.runScript(scriptJob(source, more, files), around('run'));
  const left = async () => {
    const filters = encodeURIComponent(
      JSON.stringify({ label: [`${LABEL}=run`, `${INSTALLATION}=${options.installation}`] }),
    );
    return sandboxEngine.call<object[]>('GET', `/containers/json?all=1&filters=${filters}`);
  };

  test('a script reads text and prints text, and nothing is left of it', async () => {
    const source = 'import sys\nprint("got " + sys.stdin.read())\nprint("aside", file=sys.stderr)';
    expect(await run(source, { input: 'Grüße "x" 🎉\n' })).toEqual({
      printed: 'got Grüße "x" 🎉\n\n',
      files: new Map(),
    });
    expect(await left()).toEqual([]);
  });

  test('it need not read its input, and sees the files of the skill from any folder', async () => {
    const source = 'import helper, pathlib\nprint(helper.VALUE, pathlib.Path("data/notes.txt").read_text())';
    const files = {
      'scripts/run.py': source,
      'scripts/helper.py': 'from shared import VALUE',
      'shared.py': 'VALUE = 7',
      'data/notes.txt': 'noted',
    };
    const outcome = await run('', { script: 'scripts/run.py', input: 'x'.repeat(500_000) }, files);
    expect(outcome.printed).toBe('7 noted\n');
  });

  test('files in _OUTPUT_DIR come back, also binary and nested ones, but nothing that a link leads to', async () => {
    const source = `
import os
assert _OUTPUT_DIR == os.environ["_OUTPUT_DIR"]
os.makedirs(_OUTPUT_DIR + "/charts")
open(_OUTPUT_DIR + "/charts/a.bin", "wb").write(bytes(range(256)))
open(_OUTPUT_DIR + "/b.txt", "w").write("b")
open(_OUTPUT_DIR + "/empty", "w")
os.symlink("/etc/passwd", _OUTPUT_DIR + "/passwd")
open("aside.txt", "w").write("not returned")
open("_hitl_request.json", "w").write("{}")
print("done")`;
    const { files } = await run(source);
    expect([...files.keys()].toSorted()).toEqual(['_hitl_request.json', 'b.txt', 'charts/a.bin', 'empty']);
    expect([...(files.get('charts/a.bin') ?? [])]).toEqual(Array.from({ length: 256 }, (_, at) => at));
    expect(files.get('empty')).toHaveLength(0);
  });

  describe('§8.4: the workspace of a run', () => {
    const inRun = (run_id: string, source: string) => sandbox.runScript(scriptJob(source), around(run_id));
    const WRITE =
      'import os\nassert _WORKSPACE_DIR == os.environ["_WORKSPACE_DIR"]\nopen(_WORKSPACE_DIR + "/kept.txt", "w").write("kept")';
    const READ =
      'import os\npath = _WORKSPACE_DIR + "/kept.txt"\nprint(open(path).read() if os.path.exists(path) else "nothing")';
    const volumes = async () => {
      const filters = encodeURIComponent(
        JSON.stringify({ label: [`${LABEL}=workspace`, `${INSTALLATION}=${options.installation}`] }),
      );
      return (
        (await sandboxEngine.call<{ Volumes: object[] | null }>('GET', `/volumes?filters=${filters}`))
          .Volumes ?? []
      );
    };
    afterEach(async () => {
      for (const run_id of ['run', 'one', 'two', 'full']) await sandbox.dropWorkspace(run_id);
    });

    test('is there for the next script of the same run, and for no other run', async () => {
      await inRun('one', WRITE);
      expect((await inRun('one', READ)).printed).toBe('kept\n');
      expect((await inRun('two', READ)).printed).toBe('nothing\n');
    });

    test('is gone when the run has ended, also when it had begun in another process', async () => {
      await inRun('one', WRITE);
      expect(await volumes()).toHaveLength(1);
      const other = createContainerSandbox(options);
      await other.dropWorkspace('one');
      await other.close();
      expect(await volumes()).toHaveLength(0);
      expect((await inRun('one', READ)).printed).toBe('nothing\n');
    });

    test('that grows too large ends the script and is emptied', async () => {
      const fill =
        'import time\nwith open(_WORKSPACE_DIR + "/big", "wb") as file:\n  for _ in range(300): file.write(b"x" * 1_000_000); time.sleep(0.002)\ntime.sleep(15)';
      expect(await catchFailure(inRun('full', fill))).toMatchObject({
        kind: 'limit',
        message: 'The scripts of this run left more than 200 MB in _WORKSPACE_DIR; it was emptied',
      });
      expect((await inRun('full', 'import os\nprint(os.listdir(_WORKSPACE_DIR))')).printed).toBe('[]\n');
    }, 60_000);
  });

  test('large files come back whole, and too many bytes or files are an error', async () => {
    const write = (size: number) => `open(_OUTPUT_DIR + "/a", "wb").write(b"x" * ${size})`;
    expect((await run(write(20_000_000))).files.get('a')).toHaveLength(20_000_000);
    const tooMuch = { kind: 'limit', message: 'The script left more than 50 files or 20 MB in _OUTPUT_DIR' };
    expect(await catchFailure(run(write(20_000_001)))).toMatchObject(tooMuch);
    const many = 'for n in range(51):\n  open(_OUTPUT_DIR + "/" + str(n), "w")';
    expect(await catchFailure(run(many))).toMatchObject(tooMuch);
  }, 60_000);

  test.each([
    [
      'an exception',
      'def f():\n  raise ValueError("no price")\nf()',
      /exit code 1:\n[\s\S]*line 2[\s\S]*ValueError: no price$/,
    ],
    ['a mistake in the grammar', 'print(', /exit code 1:\n[\s\S]*SyntaxError/],
    ['an exit code', 'import sys\nsys.exit(3)', /^The script ended with exit code 3$/],
    ['a signal', 'import os\nos.abort()', /^The script ended by signal 6$/],
  ])('%s is an error in words', async (_, source, message) => {
    const failure = await catchFailure(run(source));
    expect(failure).toMatchObject({ kind: 'thrown' });
    expect(failure.message).toMatch(message);
  });

  test('§8.4: more memory than 512 MB, more time and more text than allowed are errors that say so', async () => {
    const memory = await catchFailure(run('x = []\nwhile True: x.append(bytearray(10_000_000))'));
    expect(memory).toMatchObject({ kind: 'limit', message: expect.stringContaining('512 MB of memory') });
    const time = await catchFailure(run('import time\ntime.sleep(60)', { timeout_ms: 1_500 }));
    expect(time).toMatchObject({ kind: 'timeout', message: 'The script did not end within 1.5 s' });
    const text = await catchFailure(run('while True: print("x" * 1000)'));
    expect(text).toMatchObject({ kind: 'limit', message: 'The script prints more than 1 MB' });
    const errors = await catchFailure(run('import sys\nwhile True: print("x" * 1000, file=sys.stderr)'));
    expect(errors).toMatchObject({ kind: 'limit', message: 'The script prints more than 1 MB' });
    expect(await left()).toEqual([]);
  }, 60_000);

  test('files of a skill that have no room, or that are a folder as well, are an error', async () => {
    const large = await catchFailure(run('print(1)', {}, { 'a.txt': 'x'.repeat(70_000_000) }));
    expect(large).toMatchObject({ kind: 'limit', message: expect.stringContaining('cannot be written') });
    const both = await catchFailure(run('print(1)', {}, { a: '', 'a/b': '' }));
    expect(both).toMatchObject({ kind: 'limit', message: expect.stringContaining('cannot be written') });
  }, 60_000);

  test('a run that is cancelled ends its script', async () => {
    const cancelled = new AbortController();
    const running = catchFailure(run('import time\ntime.sleep(60)', { signal: cancelled.signal }));
    setTimeout(() => cancelled.abort(), 500);
    expect(await running).toMatchObject({ kind: 'cancelled' });
    expect(await left()).toEqual([]);
  });

  test('§8.4: a script has no rights, a read-only machine, a writable folder and no variable of the service', async () => {
    const source = `
import json, os
def denied(path):
    try:
        open(path, "w")
    except OSError as error:
        return error.strerror
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
open("own.txt", "w").write("x")
print(json.dumps([os.getuid(), denied("/etc/x"), denied("/usr/x"), int(status["CapEff"], 16), status["NoNewPrivs"], sorted(os.environ)]))`;
    process.env['PROBE_API_KEY'] = 'canary-key';
    try {
      const [uid, etc, usr, capabilities, privileges, names] = JSON.parse(
        (await run(source)).printed,
      ) as unknown[];
      expect([uid, capabilities, privileges]).toEqual([65532, 0, '1']);
      expect([etc, usr]).toEqual(['Read-only file system', 'Read-only file system']);
      expect(names).not.toEqual(expect.arrayContaining(['PROBE_API_KEY']));
      expect(names).not.toEqual(expect.arrayContaining(['DATABASE_URL']));
    } finally {
      delete process.env['PROBE_API_KEY'];
    }
  });
});
