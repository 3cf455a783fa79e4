// The first command of a newcomer: `npm start` in a fresh clone with an empty package cache, then the start after it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../tools/prepare.mjs';
import { printTable } from './support/table.ts';

/** The text that a start prints when a part of it has ended. */
const MARKS: readonly (readonly [part: string, printed: RegExp])[] = [
  ['install', /Installing .* done/],
  ['build', /Building .* done/],
  ['migrate', /the database is up to date/],
  ['listen', /millrace is serving/],
];
const IDLE_MS = 10_000;

interface Start {
  /** Milliseconds that each part took, and all together. */
  readonly parts: ReadonlyMap<string, number>;
  readonly idle_mb: number;
}

/** `npm` waits for the program, so the program is the one that has no child. */
function residentMegabytes(child: ChildProcess): number {
  const children = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  let pid = child.pid ?? 0;
  for (let [next] = children(pid); next !== undefined; [next] = children(pid)) pid = next;
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function measureStart(folder: string, env: NodeJS.ProcessEnv): Promise<Start> {
  const began = performance.now();
  let last = began;
  const parts = new Map<string, number>();
  const child = spawn('npm', ['start'], { cwd: folder, env, detached: true });
  const served = new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const [part] = MARKS.find(([, printed]) => printed.test(line)) ?? [];
        if (!part) return;
        parts.set(part, performance.now() - last);
        last = performance.now();
        if (part === 'listen') resolve();
      });
    }
  });
  await served;
  parts.set('all', last - began);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle_mb = residentMegabytes(child);
  const exited = once(child, 'exit');
  // The whole group, as Ctrl+C in a terminal does.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await exited;
  return { parts, idle_mb };
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-start-'));
try {
  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  const env = { ...process.env, PORT: '0', npm_config_cache: join(folder, 'cache'), LOG_FORMAT: 'text' };
  const rows: string[][] = [];
  for (const name of ['fresh clone', 'second start', 'third start']) {
    const { parts, idle_mb } = await measureStart(clone, env);
    const seconds = [...MARKS.map(([part]) => part), 'all'].map((part) => {
      const ms = parts.get(part);
      return ms === undefined ? '' : (ms / 1000).toFixed(1);
    });
    rows.push([name, ...seconds, idle_mb.toFixed(0)]);
  }
  printTable(['', 'install s', 'build s', 'migrate s', 'listen s', 'all s', 'idle MB'], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
