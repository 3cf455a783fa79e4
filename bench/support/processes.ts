import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The built product; another build can be measured by naming its entry file. */
const MAIN = process.env['BENCH_MAIN'] ?? here('../../apps/server/dist/main.js');
const ECHO = here('./echo-server.mjs');

/** Options of Node with which `npm start` runs the product. */
function startOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync(here('../../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

const hasCommand = (name: string): boolean => spawnSync('which', [name]).status === 0;
/** Servers run on the first core, load comes from the last, where the system can pin processes and has two cores. */
export const canPin = hasCommand('taskset') && availableParallelism() > 1;
const LOAD_CORE = String(availableParallelism() - 1);

type StdioPipe = ['ignore', 'pipe', 'inherit'];

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to the moment at which it serves. */
  readonly start_ms: number;
  /** Resident memory of the process in megabytes. */
  memory(): number;
  /** Heap in use in megabytes, as the product reports it. */
  heap(): Promise<number>;
  /** Processor time that the process has used so far, in microseconds: what neighbours disturb least. */
  cpuTime(): number;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly env?: Record<string, string>;
  readonly node_options?: readonly string[];
  /** Cores that the server may use, for example `0`; absent: one core. */
  readonly cores?: string;
  /** Entry file of another build of the product. */
  readonly main?: string;
  /** Another Node than the one that runs the benchmark. */
  readonly node?: string;
}

function startPinned(
  file: string,
  { env = {}, node_options = [], cores = '0', node: binary = process.execPath }: ServerOptions,
): ChildProcess {
  const node = [binary, ...node_options, file];
  const [command = '', ...args] = canPin ? ['taskset', '-c', cores, ...node] : node;
  return spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'info', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function waitForUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    if (!child.stdout) throw new Error('the server has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = line.startsWith('{') ? (JSON.parse(line) as { msg?: string; address?: string }) : {};
      if (entry.msg === 'millrace is serving' && entry.address) resolve(entry.address);
    });
  });
}

function residentMegabytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return Math.round((pages * 4096) / 1e6);
}

const HEAP = /^millrace_nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/m;

async function heapMegabytes(url: string): Promise<number> {
  const [, bytes = ''] = HEAP.exec(await (await fetch(`${url}/metrics`)).text()) ?? [];
  if (bytes === '') throw new Error('/metrics does not name the heap in use');
  return Math.round(Number(bytes) / 1_048_576);
}

const MICROSECONDS_PER_TICK = 10_000;

function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

async function start(file: string, options: ServerOptions): Promise<ServerProcess> {
  const began = performance.now();
  const child = startPinned(file, options);
  const url = await waitForUrl(child);
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    start_ms: Math.round(performance.now() - began),
    memory: () => residentMegabytes(pid),
    heap: () => heapMegabytes(url),
    cpuTime: () => processorTime(pid),
    stop() {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      return ended;
    },
  };
}

export const startEcho = (): Promise<ServerProcess> => start(ECHO, {});

/** A provider of models for benchmarks, beside the load. */
export const startModelServer = (): Promise<ServerProcess> =>
  start(here('./model-server.mjs'), { cores: LOAD_CORE });

/** The yardstick of agents, on the core of the product. */
export const startBareAgent = (model_url: string): Promise<ServerProcess> =>
  start(here('./bare-agent.mjs'), { env: { MODEL_URL: model_url } });

/** Starts the product; without a folder of its own data go to a temporary one that is removed at its end. */
export async function startMillrace(options: ServerOptions = {}): Promise<ServerProcess> {
  const folder = options.env?.['DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const server = await start(options.main ?? MAIN, {
    ...options,
    node_options: [...startOptions(), ...(options.node_options ?? [])],
    env: { LOG_LEVEL: 'info', ...options.env, DATA_DIR: folder },
  });
  return {
    ...server,
    async stop() {
      await server.stop();
      if (!options.env?.['DATA_DIR']) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a load generator on its own core. */
export function runLoad(command: string, args: readonly string[]): Promise<string> {
  const stdio: StdioPipe = ['ignore', 'pipe', 'inherit'];
  const child = canPin
    ? spawn('taskset', ['-c', LOAD_CORE, command, ...args], { stdio })
    : spawn(command, args, { stdio });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}`)),
    );
  });
}

export const hasWrk = hasCommand('wrk');
