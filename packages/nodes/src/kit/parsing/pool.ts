import type { ChildProcess } from 'node:child_process';
import { NodeFailure } from '@millrace/engine';
import type { ParseTask } from './messages.ts';
import type { ParseOptions, Parsers, ParserTable } from './parsers.ts';
import { type PoolProcess, poolProcess, type TaskEnd } from './process.ts';

export interface PoolLimits {
  readonly processes: number;
  /** Time limit for one document, not counting the time in the queue. */
  readonly time_ms: number;
  /** Idle processes end after this time. */
  readonly idle_ms: number;
  /** Maximum queue length. */
  readonly waiting: number;
}

export interface ParserPool<Table extends ParserTable> extends Parsers<Table> {
  /** Current number of processes. */
  readonly size: number;
  /** Ends all processes and cancels running and queued work. */
  close(): Promise<void>;
}

const DONE = { read: 'read', convert: 'converted', check: 'checked' } as const;

interface Job {
  readonly task: ParseTask;
  readonly options: ParseOptions;
  settle(end: TaskEnd | { readonly kind: 'cancelled'; readonly reason: unknown }): void;
}

/**
 * A pool of child processes. Threads would not do: a regular expression that is compiled near the end of the stack, which deeply
 * nested documents can reach, ends the process of a thread with it (`RegExpCompiler Allocation failed`, Node 20). Processes start
 * with the first document and end when there are none. A document that takes too much time or memory ends its process, and no
 * other one's.
 *
 * Pool libraries count the time of a task from its submission, so one that waits behind slow documents of others
 * would time out because of them.
 */
export function createParserPool<Table extends ParserTable>(
  start: () => ChildProcess,
  limits: PoolLimits,
): ParserPool<Table> {
  const pool = new Pool(start, limits);
  return {
    get size() {
      return pool.size;
    },
    // Guarantee: the processes serve the table that the pool is typed with.
    run: (name, args, options) => pool.run({ name, args }, options) as Promise<never>,
    close: () => pool.close(),
  };
}

class Pool {
  readonly #start: () => ChildProcess;
  readonly #limits: PoolLimits;
  readonly #idle = new Map<PoolProcess, NodeJS.Timeout>();
  readonly #busy = new Map<PoolProcess, Job>();
  readonly #waiting: Job[] = [];
  #is_closed = false;

  constructor(start: () => ChildProcess, limits: PoolLimits) {
    this.#start = start;
    this.#limits = limits;
  }

  get size(): number {
    return this.#idle.size + this.#busy.size;
  }

  run(task: ParseTask, options: ParseOptions): Promise<unknown> {
    const { signal, what } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      if (this.#is_closed || this.#waiting.length >= this.#limits.waiting)
        return reject(failed(options, `${what} cannot be read now, because too many others wait; try again`));
      const job: Job = {
        task,
        options,
        settle: (end) => {
          signal?.removeEventListener('abort', abort);
          if (end.kind === 'done') resolve(end.result);
          else if (end.kind === 'failed') reject(new NodeFailure(end.failure));
          else if (end.kind === 'thrown') reject(new Error(end.message));
          else if (end.kind === 'cancelled') reject(end.reason);
          else reject(this.#lost(end, options));
        },
      };
      const abort = () => this.#cancel(job, signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(job);
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#is_closed = true;
    const reason = new Error('the service stops');
    for (const job of [...this.#waiting, ...this.#busy.values()]) this.#cancel(job, reason);
    const processes = [...this.#idle.keys(), ...this.#busy.keys()];
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all(processes.map((process) => process.end()));
  }

  #lost({ reason, cause }: Extract<TaskEnd, { kind: 'lost' }>, options: ParseOptions): NodeFailure {
    const { what, action = 'read', time_ms = this.#limits.time_ms } = options;
    if (reason === 'time') {
      const seconds = time_ms / 1_000;
      return failed(options, `${what} took longer than ${seconds} seconds to ${action}`, { is_final: true });
    }
    if (reason === 'memory')
      return failed(
        options,
        `${what} could not be ${DONE[action]}: it is nested too deeply or needs more memory than one document may use`,
        { is_final: true },
      );
    return failed(options, `${what} could not be processed: the process for it ended`, { cause });
  }

  #cancel(job: Job, reason: unknown): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    job.settle({ kind: 'cancelled', reason });
    for (const [process, current] of this.#busy) if (current === job) void process.end();
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      let process: PoolProcess | undefined;
      try {
        process = this.#free();
      } catch (cause) {
        // The system cannot start another process.
        this.#next().settle({ kind: 'lost', reason: 'crash', cause });
        continue;
      }
      if (!process) return;
      void this.#work(process, this.#next());
    }
  }

  /** The oldest queued document among the owners with the fewest running processes. */
  #next(): Job {
    const counts = new Map<string | undefined, number>();
    for (const { options } of this.#busy.values())
      counts.set(options.owner, (counts.get(options.owner) ?? 0) + 1);
    const getCount = ({ options }: Job) => counts.get(options.owner) ?? 0;
    const [first, ...others] = this.#waiting;
    if (!first) throw new Error('nothing waits');
    const next = others.reduce((best, job) => (getCount(job) < getCount(best) ? job : best), first);
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }

  #free(): PoolProcess | undefined {
    for (const [process, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(process);
      if (!process.is_ended) return process;
    }
    return this.#busy.size < this.#limits.processes ? poolProcess(this.#start()) : undefined;
  }

  async #work(process: PoolProcess, job: Job): Promise<void> {
    this.#busy.set(process, job);
    const end = await process.work(job.task, job.options.time_ms ?? this.#limits.time_ms);
    this.#busy.delete(process);
    job.settle(end);
    if (!process.is_ended) this.#rest(process);
    this.#assign();
  }

  #rest(process: PoolProcess): void {
    const timer = setTimeout(() => {
      this.#idle.delete(process);
      void process.end();
    }, this.#limits.idle_ms);
    timer.unref();
    this.#idle.set(process, timer);
  }
}

function failed(
  { field }: ParseOptions,
  message: string,
  { is_final = false, cause }: { is_final?: boolean; cause?: unknown } = {},
): NodeFailure {
  return new NodeFailure(
    { kind: 'limit', message, ...(field ? { field } : {}), ...(is_final ? { final: true } : {}) },
    { cause },
  );
}
