import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { NodeFailure } from '@millrace/engine';
import type { CodeJob } from '@millrace/nodes/runtime';
import type { ServerParsers } from '../../ports/parsers.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { Ended } from './containers/containers.ts';
import { LIMITS } from './containers/limits.ts';
import { newMarker, readOutcome, serializeInput } from './job.ts';
import { Output } from './output.ts';
import { PYTHON } from './programs/python.ts';
import type { Forwarded } from './variables.ts';

/** Modules that compute and reach neither files nor processes nor the network. */
export const ALLOWED_MODULES = [
  'array',
  'base64',
  'bisect',
  'calendar',
  'collections',
  'copy',
  'csv',
  'dataclasses',
  'datetime',
  'decimal',
  'difflib',
  'enum',
  'fractions',
  'functools',
  'hashlib',
  'heapq',
  'hmac',
  'html',
  'io',
  'itertools',
  'json',
  'math',
  'numbers',
  'operator',
  'random',
  're',
  'secrets',
  'statistics',
  'string',
  'textwrap',
  'time',
  'typing',
  'unicodedata',
  'urllib.parse',
  'uuid',
  'zoneinfo',
];

/** Of the process; its memory is all that it maps. */
const RESOURCES = { AS: 2 * LIMITS.memory, CPU: LIMITS.execution_ms / 1_000, FSIZE: 0, CORE: 0 };

/**
 * Python in a process of this machine with an allowlist of imports. Not a security boundary: calls of the system that Python does
 * not audit remain.
 * Only for people who trust everyone who may write code (§8.4).
 */
export function createSubprocessSandbox({
  forwarded,
  parsers,
}: {
  readonly forwarded: Forwarded;
  readonly parsers: ServerParsers;
}): Sandbox {
  const running = new Set<ChildProcess>();
  return {
    async run(job) {
      requireSimple(job);
      const marker = newMarker();
      const input = serializeInput(job, marker, {
        has_packages: false,
        has_network: false,
        allowed: ALLOWED_MODULES,
        limits: RESOURCES,
      });
      const ended = await runProcess(job, { input, running, forwarded });
      const outcome = await readOutcome(parsers, job, { ended, marker });
      if (!outcome) throw new Error('a job without packages misses packages');
      return outcome;
    },
    state: () => Promise.resolve({ status: 'ready', engine: 'subprocess' }),
    close() {
      for (const child of running) kill(child);
      return Promise.resolve();
    },
  };
}

function requireSimple({ language, requirements, allow_network, files }: CodeJob): void {
  if (language === 'python' && requirements.length === 0 && !allow_network && files === undefined) return;
  const message = 'The mode subprocess runs Python without packages, network and files only';
  throw new NodeFailure({ kind: 'sandbox', message, final: true });
}

/** With all that it has started. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

interface Around {
  readonly input: string;
  readonly running: Set<ChildProcess>;
  readonly forwarded: Forwarded;
}

function runProcess({ timeout_ms, signal }: CodeJob, { input, running, forwarded }: Around): Promise<Ended> {
  const child = spawn('python3', ['-I', '-c', PYTHON.run], {
    cwd: tmpdir(),
    detached: true,
    env: { PATH: process.env['PATH'], ...parseVariables(forwarded.locale) },
    stdio: 'pipe',
  });
  running.add(child);
  const output = new Output(LIMITS);
  return new Promise<Ended>((resolve, reject) => {
    const settle = (why: Ended['why'], exit_code = -1) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      running.delete(child);
      kill(child);
      resolve({ why, exit_code, result: output.readText('result'), logs: output.readText('logs') });
    };
    const onAbort = () => settle('aborted');
    const timer = setTimeout(() => settle('timeout'), timeout_ms);
    const take = (channel: 'result' | 'logs') => (data: Buffer) => {
      output.take(channel, data);
      if (output.exceeded) settle(output.exceeded);
    };
    child.stdout.on('data', take('result'));
    child.stderr.on('data', take('logs'));
    // It may end before it has read its input.
    child.stdin.on('error', () => undefined);
    child.on('exit', () => kill(child));
    child.on('close', (code) => settle('exited', code ?? -1));
    child.on('error', (error) => {
      clearTimeout(timer);
      running.delete(child);
      const message =
        'Python is not run, because there is no python3 on the machine of the service; install it, or use the mode auto';
      reject(new NodeFailure({ kind: 'sandbox', message }, { cause: error }));
    });
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdin.end(`${input}\n`);
  });
}

const parseVariables = (variables: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    variables.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
