import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { ParseTask, PartMessage, ProcessMessage, TaskMessage } from './messages.ts';
import { isLarge, Joiner, splitIntoParts } from './parts.ts';

/** Result of a task; `lost`: the process died with it. */
export type TaskEnd =
  | { readonly kind: 'done'; readonly result: unknown }
  | Exclude<ProcessMessage, PartMessage | { kind: 'ready' } | { kind: 'done' }>
  | { readonly kind: 'lost'; readonly reason: 'time' | 'memory' | 'crash'; readonly cause?: unknown };

export interface PoolProcess {
  /** Whether it has exited and accepts no more tasks. */
  readonly is_ended: boolean;
  /** Runs one task at a time. Its time starts when the process is ready. */
  work(task: ParseTask, time_ms: number): Promise<TaskEnd>;
  /** Kills the process and its task. */
  end(): Promise<void>;
}

/** A process that is not ready after this time counts as failed. */
const LOAD_MS = 30_000;

/** How Node exits when it is out of memory, or out of stack where it cannot throw. */
const OUT_OF_MEMORY_SIGNALS = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV']);
const OUT_OF_MEMORY_CODE = 134;

/** Lower priority than the event loop. */
function lowerPriority(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has exited, or the system does not allow it.
  }
}

export const poolProcess = (child: ChildProcess): PoolProcess => new Reader(child);

class Reader implements PoolProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #result = new Joiner();
  #is_ready = false;
  #is_ended = false;
  #timer: NodeJS.Timeout | undefined;
  #settle: ((end: TaskEnd) => void) | undefined;
  #time_ms = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    child.on('message', (message: ProcessMessage) => this.#receive(message));
    child.on('error', (error) => this.#lose('crash', error));
    child.on('exit', (code, signal) => {
      const isFull = code === OUT_OF_MEMORY_CODE || OUT_OF_MEMORY_SIGNALS.has(signal);
      this.#lose(isFull ? 'memory' : 'crash');
    });
    lowerPriority(child);
    this.#release();
  }

  get is_ended(): boolean {
    return this.#is_ended;
  }

  work(task: ParseTask, time_ms: number): Promise<TaskEnd> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#time_ms = time_ms;
      this.#child.ref();
      this.#child.channel?.ref();
      this.#countTime();
      void this.#give(task).catch((error: unknown) =>
        this.#settled({ kind: 'thrown', message: error instanceof Error ? error.message : String(error) }),
      );
    });
  }

  async #give({ name, args }: ParseTask): Promise<void> {
    if (!isLarge(args)) return this.#send({ kind: 'task', name, args });
    for (const part of splitIntoParts(args)) {
      if (this.#is_ended) return;
      this.#send({ kind: 'part', part });
      await setImmediate();
    }
    this.#send({ kind: 'task', name });
  }

  #send(message: TaskMessage): void {
    // After a channel error the process exits.
    this.#child.send(message, () => undefined);
  }

  end(): Promise<void> {
    this.#lose('crash');
    // Keep this process alive until the child has exited.
    this.#child.ref();
    return this.#exited;
  }

  /** Keeps this process alive only while it works. */
  #release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #receive(message: ProcessMessage): void {
    if (message.kind === 'part') {
      this.#result.add(message.part);
      return this.#send({ kind: 'next' });
    }
    if (message.kind === 'done')
      return this.#settled({
        kind: 'done',
        result: message.is_in_parts ? this.#result.take() : message.result,
      });
    if (message.kind !== 'ready') return this.#settled(message);
    this.#is_ready = true;
    if (this.#settle) this.#countTime();
  }

  #countTime(): void {
    clearTimeout(this.#timer);
    const end = () => this.#lose(this.#is_ready ? 'time' : 'crash');
    this.#timer = setTimeout(end, this.#is_ready ? this.#time_ms : LOAD_MS);
  }

  #settled(end: TaskEnd): void {
    clearTimeout(this.#timer);
    this.#release();
    this.#settle?.(end);
    this.#settle = undefined;
  }

  #lose(reason: 'time' | 'memory' | 'crash', cause?: unknown): void {
    this.#is_ended = true;
    this.#settled({ kind: 'lost', reason, cause });
    this.#child.kill('SIGKILL');
  }
}
