import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { FRESH_START_EXIT } from '../../apps/server/src/ports/coordination/lease.ts';
import { atExit } from './services/cleanup.ts';

const RESTART_MS = 100;
/** The time that a process may take to serve on a slow machine. */
const START_MS = 180_000;
/** Lines of the log of a process that are printed when it ends without a reason. */
const LINES_KEPT = 20;
const LINE_KEPT = 500;
/** Lines that name a defect, which no trouble excuses. */
const DEFECT = /"msg":"(node|run) crashed"/;

export interface FleetOptions {
  /** Folder of the bundled programs. */
  readonly programs: string;
  readonly size: number;
  /** Absent: the embedded database. */
  readonly database_url?: string;
  readonly redis_url?: string;
  readonly data_dir: string;
  /** Absent: as the product sets it. */
  readonly lease_seconds?: number;
  /** Another one than the product for negative controls only. */
  readonly program?: 'main' | 'unfenced' | 'careless';
  /** A process that starts while the database is away ends with an error, for its supervisor to try again. */
  readonly may_exit?: boolean;
  /** For one process each, in its first life only. */
  readonly fault_points?: readonly string[];
}

interface Member {
  child: ChildProcess;
  url: string | undefined;
  /** Stopped by a signal, or its event loop is. */
  paused: boolean;
}

/** Counts of what was done to the processes, and how they ended otherwise. */
export interface Counts {
  kills: number;
  pauses: number;
  terms: number;
  /** Times that something which the processes need broke: connections, the database, Redis. */
  cuts: number;
  /** Ends by a fault point. */
  faults: number;
  /** Ends because the lease was lost or the main thread was stuck. */
  fresh_starts: number;
  /** Unexpected exits. */
  exits: number;
  /** Of these, ends in order that took longer than they may. */
  late_ends: number;
}

/** A moment from which a process could not work on its runs. */
export interface Blow {
  readonly pid: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Real server processes; whichever ends is started again, as a supervisor does. */
export interface Fleet {
  readonly counts: Counts;
  readonly blows: readonly Blow[];
  /** From the start of a process to the moment at which it serves, in milliseconds; one per start. */
  readonly starts: readonly number[];
  /** Addresses of processes that serve now. */
  urls(): string[];
  /** Processes that serve now, by their number. */
  serving(): number[];
  /** Rejects when that takes too long: nothing could be seen then. */
  ready(): Promise<void>;
  kill(at: number): void;
  pause(at: number, ms: number): void;
  /** Pauses a process whose runs no other can take over meanwhile. Returns its process id. */
  freeze(at: number, ms: number): number;
  /** Asks a process to end in order and waits until it has. */
  terminate(at: number): Promise<void>;
  /** Ends all without a word. */
  stop(): Promise<void>;
  /** Asks all to end in order; none is started again. */
  drain(): Promise<void>;
}

function buildEnvironment(options: FleetOptions, fault: string | undefined): NodeJS.ProcessEnv {
  const { database_url, redis_url, lease_seconds } = options;
  return {
    PATH: process.env['PATH'],
    DATA_DIR: options.data_dir,
    PORT: '0',
    LOG_LEVEL: 'info',
    DRAIN_SECONDS: '2',
    RUN_CONCURRENCY: '40',
    // The harness signs in once.
    ACCESS_TOKEN_MINUTES: '10080',
    HTTP_ALLOW_PRIVATE_URLS: 'true',
    ...(database_url ? { DATABASE_URL: database_url } : {}),
    ...(redis_url ? { REDIS_URL: redis_url } : {}),
    ...(lease_seconds ? { LEASE_SECONDS: String(lease_seconds) } : {}),
    ...(fault ? { MILLRACE_FAULT_POINT: fault } : {}),
  };
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const counts: Counts = {
    kills: 0,
    pauses: 0,
    terms: 0,
    cuts: 0,
    faults: 0,
    fresh_starts: 0,
    exits: 0,
    late_ends: 0,
  };
  const members: Member[] = [];
  const blows: Blow[] = [];
  const starts: number[] = [];
  const program = `${options.program ?? 'main'}.js`;
  let stopping = false;

  function start(at: number, fault?: string): void {
    const began = performance.now();
    const child = spawn(process.execPath, [join(options.programs, program)], {
      env: buildEnvironment(options, fault),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const forget = atExit(() => child.kill('SIGKILL'));
    const member: Member = { child, url: undefined, paused: false };
    members[at] = member;
    const lines: string[] = [];
    const keep = (line: string) => {
      if (lines.push(line.slice(0, LINE_KEPT)) > LINES_KEPT) lines.shift();
      if (DEFECT.test(line)) console.log(`process ${at}: ${line}`);
      if (process.env['CRASH_LOG']) process.stderr.write(`${at}: ${line}\n`);
    };
    createInterface({ input: child.stderr }).on('line', keep);
    createInterface({ input: child.stdout }).on('line', (line) => {
      keep(line);
      if (!line.includes('"millrace is serving"')) return;
      member.url = (JSON.parse(line) as { address: string }).address;
      starts.push(performance.now() - began);
    });
    child.once('exit', (status, signal) => {
      forget();
      const was_armed = fault !== undefined && member.url !== undefined;
      member.url = undefined;
      if (status === FRESH_START_EXIT) counts.fresh_starts += 1;
      else if (status !== 0 && signal === null) {
        counts.exits += 1;
        if (lines.at(-1)?.includes('stopping took too long')) counts.late_ends += 1;
        if (!options.may_exit) console.log(`process ${at} ended with ${status}:\n${lines.join('\n')}`);
      } else if (signal === 'SIGKILL' && was_armed && !isKilled.has(child)) {
        counts.faults += 1;
        blows.push({ pid: child.pid ?? 0, at: Date.now() });
      }
      if (!stopping) setTimeout(() => stopping || start(at), RESTART_MS);
    });
  }

  const isKilled = new WeakSet<ChildProcess>();
  for (let at = 0; at < options.size; at++) start(at, options.fault_points?.[at]);
  const member = (at: number): Member => {
    const found = members[at];
    if (!found) throw new Error(`no process ${at}`);
    return found;
  };
  const strike = ({ child }: Member) => blows.push({ pid: child.pid ?? 0, at: Date.now() });
  const stop = (victim: Member, ms: number) => {
    counts.pauses += 1;
    victim.paused = true;
    victim.child.kill('SIGSTOP');
    setTimeout(() => {
      victim.child.kill('SIGCONT');
      victim.paused = false;
    }, ms);
  };
  const isServing = ({ url, paused }: Member) => url !== undefined && !paused;

  async function end(signal: NodeJS.Signals): Promise<void> {
    stopping = true;
    await Promise.all(
      members.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = new Promise((resolve) => child.once('exit', resolve));
        isKilled.add(child);
        child.kill('SIGCONT');
        child.kill(signal);
        await exited;
      }),
    );
  }

  return {
    counts,
    blows,
    starts,
    urls: () => members.flatMap((one) => (isServing(one) && one.url ? [one.url] : [])),
    serving: () => members.flatMap((one, at) => (isServing(one) ? [at] : [])),
    async ready() {
      const until = performance.now() + START_MS;
      while (members.some(({ url }) => url === undefined)) {
        if (performance.now() > until) throw new Error(`not all processes serve after ${START_MS / 1000} s`);
        await sleep(50);
      }
    },
    kill(at) {
      const victim = member(at);
      counts.kills += 1;
      strike(victim);
      isKilled.add(victim.child);
      victim.child.kill('SIGKILL');
    },
    pause(at, ms) {
      strike(member(at));
      stop(member(at), ms);
    },
    freeze(at, ms) {
      stop(member(at), ms);
      return member(at).child.pid ?? 0;
    },
    async terminate(at) {
      const { child } = member(at);
      counts.terms += 1;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
    },
    stop: () => end('SIGKILL'),
    drain: () => end('SIGTERM'),
  };
}
