import { type Failure, NodeFailure } from '@millrace/engine';
import type { CodeJob, ProgramJob, ScriptJob } from '@millrace/nodes/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from './sandbox.ts';

/** A job in Python; tests change what they are about. */
export const pythonJob = (source: string, more: Partial<CodeJob> = {}): CodeJob => ({
  language: 'python',
  source,
  entry: 'main',
  values: {},
  passes: 'one',
  requirements: [],
  allow_network: false,
  timeout_ms: 20_000,
  signal: new AbortController().signal,
  ...more,
});

/** A script of a skill, `main.py`, beside other files by path; tests change what they are about. */
export const scriptJob = (
  source: string,
  more: Partial<ScriptJob> = {},
  files: Readonly<Record<string, string>> = {},
): ScriptJob => ({
  files: new Map(
    Object.entries({ 'main.py': source, ...files }).map(([path, text]) => [
      path,
      new TextEncoder().encode(text),
    ]),
  ),
  script: 'main.py',
  input: '',
  requirements: [],
  timeout_ms: 20_000,
  signal: new AbortController().signal,
  ...more,
});

/** A job that runs the Python program `server` and ignores its output; each test sets the fields that it checks. */
export const programJob = (more: Partial<ProgramJob> = {}): ProgramJob => ({
  language: 'python',
  command: 'server',
  args: [],
  variables: {},
  requirements: [],
  allow_network: false,
  timeout_ms: 20_000,
  signal: new AbortController().signal,
  onOutput: () => undefined,
  onLog: () => undefined,
  onEnd: () => undefined,
  ...more,
});

/** Returns the failure of a sandbox. @throws Error when it did not fail */
export async function catchFailure(work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (error instanceof NodeFailure) return error.failure;
  throw new Error(`no failure but ${String(error)}`);
}

/** The rules that every adapter of the port must keep, with Python, which all of them run. */
export function sandboxConformance(name: string, open: () => Sandbox): void {
  describe(`sandbox: ${name}`, () => {
    const sandbox = open();
    afterAll(() => sandbox.close());
    const run = (source: string, more?: Partial<CodeJob>) => sandbox.run(pythonJob(source, more));
    const runToFailure = async (source: string, more?: Partial<CodeJob>) => {
      const ended: unknown = await run(source, more).catch((error: unknown) => error);
      return (ended as { failure?: { kind: string; message: string; details?: object } }).failure;
    };

    test('says that it is ready', async () => {
      expect(await sandbox.state()).toMatchObject({ status: 'ready' });
    });

    test('hands values in and out as JSON, and what was printed as log', async () => {
      const values = { name: 'Grüße "x" \u2028 🎉', nested: { list: [1, 2.5, null, true] }, get: 'taken' };
      const source = 'def main(params):\n  print("from", params.name)\n  return params.to_dict()';
      const outcome = await run(source, { values });
      expect(outcome).toEqual({
        result: values,
        logs: `from ${values.name}\n`,
        install: { ok: true, tool: 'none', log: '' },
      });
    });

    test('passes values as one argument with attributes, or each by its name', async () => {
      const one = 'def main(p):\n  return [p["a"], p.b.c, p.get("none", 7), p.b.get("c")]';
      expect((await run(one, { values: { a: 1, b: { c: 2 } } })).result).toEqual([1, 2, 7, 2]);
      const named = 'def add(a, b=5):\n  return a + b';
      const more = { entry: 'add', passes: 'named', values: { a: 2 } } as const;
      expect((await run(named, more)).result).toBe(7);
    });

    test('a function may be asynchronous', async () => {
      expect((await run('async def main(p):\n  return 3')).result).toBe(3);
    });

    test.each([
      [
        'of what is raised',
        'x = 1\ndef main(p):\n  y = 2\n  return y / 0',
        4,
        'ZeroDivisionError: division by zero',
      ],
      ['where a library fails', 'import json\ndef main(p):\n  return json.loads("{")', 3, 'JSONDecodeError'],
      ['of a mistake in the grammar', 'def main(p):\n  return (1', 2, 'SyntaxError'],
      ['outside of the function', '\n\nnothing', 3, "NameError: name 'nothing' is not defined"],
    ])('an error has the line %s', async (_, source, line, text) => {
      const failure = await runToFailure(source);
      expect(failure).toMatchObject({ kind: 'thrown', details: { line } });
      expect(failure?.message).toContain(`Line ${line}: ${text}`);
    });

    test('an error keeps what was printed and shows no file of the service', async () => {
      const failure = await runToFailure('def main(p):\n  print("before")\n  raise ValueError("no")');
      const { logs = '' } = (failure?.details ?? {}) as { logs?: string };
      expect(logs).toMatch(/^before\n/);
      expect(logs).toContain('File "main.py", line 3, in main');
      expect(logs).not.toContain('<string>');
    });

    test.each([
      ['no function', 'x = 1', 'no function main'],
      ['a name that is no function', 'main = 1', 'no function main'],
      ['a result that is not JSON', 'def main(p):\n  return {1, 2}', 'not JSON'],
      ['a number that is not JSON', 'def main(p):\n  return float("nan")', 'not JSON'],
      ['a circle', 'def main(p):\n  a = []\n  a.append(a)\n  return a', 'not JSON'],
      ['an exit', 'def main(p):\n  raise SystemExit(3)', 'SystemExit: 3'],
    ])('%s is an error in words', async (_, source, text) => {
      const failure = await runToFailure(source);
      expect(failure).toMatchObject({ kind: 'thrown' });
      expect(failure?.message).toContain(text);
    });

    test('code that never ends is ended, also when it takes no signal', async () => {
      const source = 'import time\ndef main(p):\n  while True:\n    time.sleep(1)';
      const started_ms = Date.now();
      const failure = await runToFailure(source, { timeout_ms: 1_500 });
      expect(failure).toMatchObject({ kind: 'timeout', message: 'The code did not end within 1.5 s' });
      expect(Date.now() - started_ms).toBeLessThan(8_000);
    });

    test('a cancelled run ends the code', async () => {
      const cancelled = new AbortController();
      setTimeout(() => cancelled.abort(), 600);
      const source = 'import time\ndef main(p):\n  time.sleep(60)';
      expect(await runToFailure(source, { signal: cancelled.signal })).toMatchObject({ kind: 'cancelled' });
      expect(await runToFailure(source, { signal: cancelled.signal })).toMatchObject({ kind: 'cancelled' });
    });

    test('more output than allowed ends the code, and so does a larger result', async () => {
      const flood = 'def main(p):\n  while True:\n    print("x" * 10000)';
      expect(await runToFailure(flood)).toMatchObject({
        kind: 'limit',
        message: 'The code prints more than 1 MB',
      });
      const large = 'def main(p):\n  return "x" * 11000000';
      expect(await runToFailure(large)).toMatchObject({
        kind: 'limit',
        message: 'The code returns more than 10 MB',
      });
    });

    test('code finds nothing of what an earlier run left in its memory', async () => {
      await run('import math\nmath.leftover = 1\ndef main(p):\n  return 1');
      const { result } = await run('import math\ndef main(p):\n  return hasattr(math, "leftover")');
      expect(result).toBe(false);
    });
  });
}
