import {
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type WorkerRequest,
} from 'vitest/node';

/** A process that runs several test files in turn, which share their modules, and ends before it has grown too large. */
class ReusedFork extends ForksPoolWorker {
  override readonly name = 'reused-forks';
  readonly #max_files: number;
  #files = 0;

  constructor(options: PoolOptions, max_files: number) {
    super(options);
    this.#max_files = max_files;
  }

  override send(message: WorkerRequest): void {
    if (message.type === 'run') this.#files += message.context.files.length;
    super.send(message);
  }

  canReuse(): boolean {
    return this.#files < this.#max_files;
  }
}

/** The pool of test files that keep their modules for each other (`isolate: false`), `max_files` per process. */
export const reusedForks = (max_files: number): PoolRunnerInitializer => ({
  name: 'reused-forks',
  createPoolWorker: (options) => new ReusedFork(options, max_files),
});
