import type { Logger } from 'pino';
import type { ContainerRun, Containers, Ended, ReadyContainer } from './containers.ts';
import type { ContainerPlan } from './hardening.ts';
import { LIMITS } from './limits.ts';

/** A container for which there was no code for this long is removed, and none takes its place. */
const READY_FOR_MS = 5 * 60_000;

export interface WarmPoolOptions {
  /** How many containers are ready for each kind of run; 0: none. */
  readonly size: number;
  /** How long one is ready; five minutes by default. */
  readonly ready_for_ms?: number | undefined;
  readonly log: Logger;
}

type Plan = Pick<ContainerPlan, 'image' | 'command' | 'variables' | 'network'>;

interface Ready {
  readonly key: string;
  readonly container: ReadyContainer;
  readonly timer: NodeJS.Timeout;
}

/** A run that any container of its plan can serve: mounts cannot be added to one that has started. */
const isServed = ({ packages, workspace, memory, temporary, timeout_ms }: ContainerRun): boolean =>
  [packages, workspace, memory, temporary].every((own) => own === undefined) &&
  timeout_ms <= LIMITS.execution_ms;

const buildKey = ({ image, command, variables, network }: Plan): string =>
  JSON.stringify([image, command, variables, network]);

/**
 * Containers that have started and wait for their input, made by the same plan as those of the runs before, so that the next run
 * need not wait for its start. Each serves one run. There is none before the first run.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #containers: Containers;
  readonly #ready = new Set<Ready>();
  /** Those that are being started, with the key of each. */
  readonly #starts = new Map<Promise<void>, string>();
  #isClosed = false;

  constructor(options: WarmPoolOptions, containers: Containers) {
    this.#options = options;
    this.#containers = containers;
  }

  /** Like `Containers.run`, in a container that is ready if there is one. */
  async run(run: ContainerRun): Promise<Ended> {
    if (!isServed(run)) return this.#containers.run(run);
    const ready = await this.#take(buildKey(run));
    const ended = await (ready ? this.#containers.runIn(ready, run) : this.#containers.run(run));
    // Only now: starting a container takes processor time from the run.
    this.#fill(run);
    return ended;
  }

  /** Removes all; no more are started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#ready].map((ready) => this.#drop(ready)));
    await Promise.all(this.#starts.keys());
  }

  async #take(key: string): Promise<ReadyContainer | undefined> {
    for (const ready of this.#ready) {
      if (ready.key !== key) continue;
      this.#forget(ready);
      // Its end is noticed a moment later than it happens, and a container that is paused does not end.
      if (await this.#containers.isRunning(ready.container)) return ready.container;
      void this.#containers.discard(ready.container);
    }
    return undefined;
  }

  #fill({ image, command, variables, network }: Plan): void {
    const plan = { image, command, variables, network };
    const key = buildKey(plan);
    const isSame = (each: string) => each === key;
    const has =
      [...this.#ready].filter((ready) => isSame(ready.key)).length +
      [...this.#starts.values()].filter(isSame).length;
    if (this.#isClosed) return;
    for (let count = has; count < this.#options.size; count++) {
      const start = this.#start(plan)
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, 'no container is made ready for code'),
        )
        .finally(() => this.#starts.delete(start));
      this.#starts.set(start, key);
    }
  }

  async #start(plan: Plan): Promise<void> {
    const { ready_for_ms = READY_FOR_MS } = this.#options;
    const container = await this.#containers.makeReady({
      ...plan,
      kind: 'warm',
      packages: undefined,
      // When the process ends without warning, the sweep of another one removes it after that.
      timeout_ms: ready_for_ms + LIMITS.execution_ms,
    });
    if (this.#isClosed) return this.#containers.discard(container);
    const timer = setTimeout(() => void this.#drop(ready), ready_for_ms);
    timer.unref();
    const ready = { key: buildKey(plan), container, timer };
    this.#ready.add(ready);
    void container.over.then(() => this.#drop(ready));
  }

  /** Does nothing for one that a run has taken. */
  async #drop(ready: Ready): Promise<void> {
    if (this.#forget(ready)) await this.#containers.discard(ready.container);
  }

  #forget(ready: Ready): boolean {
    clearTimeout(ready.timer);
    return this.#ready.delete(ready);
  }
}
