import type { CodeJob } from '@millrace/nodes/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { catchFailure, pythonJob } from '../../ports/sandbox.conformance.ts';
import { hasPython, hasSandboxEngine, sandboxOptions as options } from '../../testing/sandbox-engine.ts';
import { createContainerSandbox } from './containers/container-sandbox.ts';
import { createSubprocessSandbox } from './subprocess-sandbox.ts';

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, at) => at);
const files = new Map([
  ['all.bin', ALL_BYTES],
  ['grüße (2).txt', new TextEncoder().encode('Grüße')],
  ['empty', new Uint8Array()],
]);

type Languages = Record<string, Pick<CodeJob, 'language' | 'source'> & Partial<CodeJob>>;

/** The same work in each language: all files come in and go out, also to a folder, with something that must not. */
const COPIES: Languages = {
  Python: {
    language: 'python',
    source: `
import os, shutil, subprocess
def main(params):
    assert _INPUT_DIR == os.environ["_INPUT_DIR"] and _OUTPUT_DIR == os.environ["_OUTPUT_DIR"]
    for name in os.listdir(_INPUT_DIR):
        shutil.copy(_INPUT_DIR + "/" + name, _OUTPUT_DIR)
    os.makedirs(_OUTPUT_DIR + "/charts")
    open(_OUTPUT_DIR + "/charts/a.txt", "w").write("a")
    os.symlink("/etc/passwd", _OUTPUT_DIR + "/passwd")
    open("/tmp/aside.txt", "w").write("not returned")
    return sorted(os.listdir(_INPUT_DIR))`,
  },
  JavaScript: {
    language: 'javascript',
    source: `
const fs = require('node:fs');
async function main() {
  if (_INPUT_DIR !== process.env._INPUT_DIR || _OUTPUT_DIR !== process.env._OUTPUT_DIR) throw new Error('other folders');
  for (const name of fs.readdirSync(_INPUT_DIR)) fs.copyFileSync(_INPUT_DIR + '/' + name, _OUTPUT_DIR + '/' + name);
  fs.mkdirSync(_OUTPUT_DIR + '/charts');
  fs.writeFileSync(_OUTPUT_DIR + '/charts/a.txt', 'a');
  fs.symlinkSync('/etc/passwd', _OUTPUT_DIR + '/passwd');
  fs.writeFileSync('/tmp/aside.txt', 'not returned');
  return fs.readdirSync(_INPUT_DIR).sort();
}`,
  },
  TypeScript: {
    language: 'javascript',
    is_typescript: true,
    source: `
declare const _INPUT_DIR: string, _OUTPUT_DIR: string;
const { readdirSync, copyFileSync, mkdirSync, writeFileSync } = require('node:fs');
const main = (): string[] => {
  for (const name of readdirSync(_INPUT_DIR) as string[]) copyFileSync(_INPUT_DIR + '/' + name, _OUTPUT_DIR + '/' + name);
  mkdirSync(_OUTPUT_DIR + '/charts');
  writeFileSync(_OUTPUT_DIR + '/charts/a.txt', 'a');
  return readdirSync(_INPUT_DIR).sort();
};`,
  },
};

describe.skipIf(!hasSandboxEngine)('files of code on a real container engine', () => {
  const sandbox = createContainerSandbox(options);
  afterAll(() => sandbox.close());
  const run = ({ source, ...more }: Partial<CodeJob> & Pick<CodeJob, 'source'>) =>
    sandbox.run(pythonJob(source, { files, ...more }));

  test.each(Object.entries(COPIES))(
    '%s reads what comes in, and what it leaves comes back',
    async (_, job) => {
      const outcome = await run(job);
      expect(outcome.result).toEqual([...files.keys()].toSorted());
      const left = outcome.files ?? new Map<string, Uint8Array>();
      expect([...left.keys()].toSorted()).toEqual([...files.keys(), 'charts/a.txt'].toSorted());
      for (const [name, bytes] of files) expect([...(left.get(name) ?? [])], name).toEqual([...bytes]);
    },
  );

  const WRITERS: Languages = {
    Python: {
      language: 'python',
      source: `
def main(params):
    for n in range(params.count):
        open(_OUTPUT_DIR + "/" + str(n), "wb").write(b"x" * params.size)
    return open(_INPUT_DIR + "/large", "rb").read().count(b"y")`,
    },
    JavaScript: {
      language: 'javascript',
      source: `
const fs = require('node:fs');
function main({ count, size }) {
  for (let n = 0; n < count; n++) fs.writeFileSync(_OUTPUT_DIR + '/' + n, Buffer.alloc(size, 'x'));
  let found = 0;
  for (const byte of fs.readFileSync(_INPUT_DIR + '/large')) if (byte === 121) found++;
  return found;
}`,
    },
  };
  test.each(Object.entries(WRITERS))(
    '%s: 20 MB go in and out whole, and more bytes or files are an error',
    async (_, job) => {
      const large = { ...job, files: new Map([['large', Buffer.alloc(20_000_000, 'y')]]) };
      const outcome = await run({ ...large, values: { count: 1, size: 20_000_000 } });
      expect(outcome.result).toBe(20_000_000);
      expect(outcome.files?.get('0')).toHaveLength(20_000_000);
      const message = 'The code left more than 50 files or 20 MB in _OUTPUT_DIR';
      for (const values of [
        { count: 2, size: 10_000_001 },
        { count: 51, size: 1 },
      ])
        expect(await catchFailure(run({ ...large, values }))).toMatchObject({ kind: 'limit', message });
    },
    60_000,
  );

  test.each(Object.entries(WRITERS))(
    '%s: a file that cannot be written is an error with its name',
    async (_, job) => {
      const name = 'x'.repeat(300);
      const failure = await catchFailure(run({ ...job, files: new Map([[name, ALL_BYTES]]) }));
      expect(failure).toMatchObject({ kind: 'limit' });
      expect(failure.message).toMatch(/^The files cannot be passed to the code: x{300}: .*name too long/i);
    },
  );

  test('what code returns may not be larger because it may leave files', async () => {
    const failure = await catchFailure(run({ source: 'def main(p):\n  return "x" * 11_000_000' }));
    expect(failure).toMatchObject({ kind: 'limit', message: 'The code returns more than 10 MB' });
  });

  test.each(['5', '[1]', '["a", "b"]', '["a"] * 60', 'None'])(
    'a forged list of files (%s) spoils only its own result',
    async (names) => {
      const source = `
import os, sys
def main(p):
    job = sys._getframe(1).f_globals["job"]
    os.write(sys._getframe(1).f_globals["answer_to"], (job["marker"] + __import__("json").dumps({"result": 1, "files": ${names}})).encode())
    os._exit(0)`;
      expect(await catchFailure(run({ source }))).toMatchObject({ kind: 'thrown' });
    },
  );

  test('code without files has neither folder', async () => {
    const source = 'import os\ndef main(p):\n  return [name for name in os.environ if name.endswith("_DIR")]';
    const outcome = await sandbox.run(pythonJob(source));
    expect(outcome.result).toEqual([]);
    expect(outcome).not.toHaveProperty('files');
  });
});

test.skipIf(!hasPython)('the mode subprocess takes no files, and says so', async () => {
  const sandbox = createSubprocessSandbox(options);
  const failure = await catchFailure(sandbox.run(pythonJob('def main(p): return 1', { files })));
  expect(failure).toMatchObject({ kind: 'sandbox', message: expect.stringContaining('files') });
});
