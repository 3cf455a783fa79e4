import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '@millrace/engine/units';
import { Output } from '../output.ts';
import { pacedWriting } from '../paced-writing.ts';
import { type Engine, EngineError, EngineSilence } from './engine.ts';
import { type ContainerPlan, hardened, INSTALLATION, LABEL, LIFETIME } from './hardening.ts';
import { LIMITS } from './limits.ts';

/** Between the end of the allowed time and when others may remove the container. */
const GRACE_MS = 60_000;
/** Packages that were installed longer ago are installed again. */
const PACKAGES_KEPT_MS = 30 * DAY_MS;

const POLL_MS = 300;
/** A container that stays in such a state this long has lost the process that would have started or removed it. */
const ABANDONED_MS: Readonly<Record<string, number>> = { created: 60_000, exited: 10_000, dead: 10_000 };

/** How a container ended; it has been removed by then. */
export interface Ended {
  readonly why: 'exited' | 'timeout' | 'aborted' | 'result' | 'logs' | 'memory';
  readonly exit_code: number;
  readonly result: string;
  readonly logs: string;
}

/** Speaks with what runs in a container, while it runs. */
export interface Dialogue {
  /** Rejects with what ends the container. */
  readonly failed: Promise<never>;
  /** Takes what the container writes to its standard output, and returns what belongs to its result. */
  take(data: Buffer): Buffer;
  /** Nothing of it is left. */
  close(): void;
}

export interface ContainerRun extends Omit<ContainerPlan, 'installation' | 'lifetime_ms'> {
  /** Only one container has it at a time. */
  readonly name?: string;
  readonly input: string;
  /** `write` resolves when the container takes more; `unread` are the bytes that it has not taken. */
  readonly dialogue?: (write: (text: string) => Promise<void>, unread: () => number) => Dialogue;
  /** Most bytes of the answer; those of a result of code by default. */
  readonly answer_size?: number;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

/** A container that is attached, with what it has written. */
export interface ReadyContainer {
  readonly id: string;
  readonly stream: Duplex;
  readonly output: Output;
  /** Settles when its outputs have ended or are too long. */
  readonly over: Promise<'exited' | 'result' | 'logs'>;
}

/** Everything known of a container before its input. */
type StartPlan = Omit<ContainerRun, 'input' | 'dialogue' | 'answer_size' | 'signal'>;

/** A container that runs until it is removed, with its streams. */
export interface OpenContainer {
  /** Frames of the engine in one direction, standard input in the other. */
  readonly stream: Duplex;
  /** How it ended; waits for that for as long as it says. */
  end(within_ms: number): Promise<{ readonly exit_code: number; readonly out_of_memory: boolean }>;
  remove(): Promise<void>;
}

/** An entry of `GET /containers/json`; `Created` in epoch seconds. */
interface Listed {
  readonly Id: string;
  readonly Created: number;
  readonly State: string;
  readonly Labels: Readonly<Record<string, string>>;
}

interface Volumes {
  readonly Volumes: readonly { readonly Name: string; readonly CreatedAt: string }[] | null;
}

/** Throwaway containers: each is made for one input and always removed afterwards. */
export class Containers {
  readonly #engine: Engine;
  readonly #installation: string | Promise<string>;
  readonly #removals = new Set<Promise<unknown>>();
  /** Paths that the engine failed to remove, for the next sweep. */
  readonly #owed = new Set<string>();
  /** Containers that the last sweep has seen ended; none of them starts again. */
  #ended: ReadonlySet<string> = new Set();

  /** @param installation the same for all processes of an installation, and for no other */
  constructor(engine: Engine, installation: string | Promise<string>) {
    this.#engine = engine;
    this.#installation = installation;
  }

  /**
   * Throws `EngineError`, with status 409 when the name is taken and 404 when there is no such image, and what the dialogue has
   * failed with.
   */
  async run(run: ContainerRun): Promise<Ended> {
    const id = await this.#create(run);
    return this.#removing(id, async () => {
      const attached = await this.#attach(id);
      return this.#watch(attached, run, () => this.#start(id));
    });
  }

  /** A started container, which `runIn` or `discard` removes. Throws like `run`. */
  async makeReady(plan: Omit<StartPlan, 'name'>): Promise<ReadyContainer> {
    const id = await this.#create(plan);
    try {
      const attached = await this.#attach(id);
      await this.#start(id);
      return attached;
    } catch (error) {
      await this.#removeAfter(error, id);
      throw error;
    }
  }

  /** Like `run`, in a container that was made ready by the same plan. */
  async runIn(ready: ReadyContainer, run: ContainerRun): Promise<Ended> {
    return this.#removing(ready.id, () => this.#watch(ready, run, () => Promise.resolve()));
  }

  async #removing(id: string, work: () => Promise<Ended>): Promise<Ended> {
    try {
      const ended = await work();
      const problem = await this.#remove(id);
      // The code has not necessarily taken too long: its output may not have arrived.
      if (ended.why === 'timeout' && problem instanceof EngineSilence) throw problem;
      return ended;
    } catch (error) {
      await this.#removeAfter(error, id);
      throw error;
    }
  }

  /** Does not wait for an engine that is known not to answer. */
  async #removeAfter(error: unknown, id: string): Promise<void> {
    const removal = this.#remove(id);
    if (!(error instanceof EngineSilence)) await removal;
  }

  /** Whether it can still take its input. */
  async isRunning({ id }: ReadyContainer): Promise<boolean> {
    try {
      const { State } = await this.#engine.call<{ State: { Status: string } }>(
        'GET',
        `/containers/${id}/json`,
      );
      return State.Status === 'running';
    } catch {
      // If the engine has a problem, starting a new container reports it.
      return false;
    }
  }

  async discard({ id, stream }: ReadyContainer): Promise<void> {
    stream.destroy();
    await this.#remove(id);
  }

  /** A started container, which the caller removes. Throws like `run`. */
  async open(plan: Omit<StartPlan, 'name'>): Promise<OpenContainer> {
    const id = await this.#create(plan);
    try {
      const stream = await this.#engine.attach(id);
      // Until its owner listens: a stream that fails without a listener would end the process.
      stream.on('error', () => undefined);
      await this.#start(id);
      return {
        stream,
        end: (within_ms) => this.#waitForEnd(id, within_ms),
        remove: async () => {
          stream.destroy();
          await this.#remove(id);
        },
      };
    } catch (error) {
      await this.#removeAfter(error, id);
      throw error;
    }
  }

  async #create(run: StartPlan): Promise<string> {
    const lifetime_ms = run.timeout_ms + GRACE_MS;
    const body = hardened({ ...run, installation: await this.#installation, lifetime_ms });
    const name = run.name === undefined ? '' : `?name=${run.name}`;
    const { Id } = await this.#engine.call<{ Id: string }>('POST', `/containers/create${name}`, body);
    return Id;
  }

  async #attach(id: string): Promise<ReadyContainer> {
    const stream = await this.#engine.attach(id);
    const output = new Output({ result: LIMITS.result, logs: LIMITS.logs });
    return { id, stream, output, over: untilEnd(stream, output) };
  }

  #start(id: string): Promise<void> {
    return this.#engine.call('POST', `/containers/${id}/start`);
  }

  async #watch(
    { id, stream, output, over }: ReadyContainer,
    { input, dialogue, answer_size = LIMITS.result, timeout_ms, signal }: ContainerRun,
    begin: () => Promise<void>,
  ): Promise<Ended> {
    const limit = createLimit({ timeout_ms, signal });
    const opened = dialogue?.(pacedWriting(stream), () => stream.writableLength);
    if (opened) output.divert((data) => opened.take(data));
    try {
      await begin();
      output.allowResult(answer_size);
      stream.write(`${input}\n`);
      const stopped = await Promise.race([over, limit.reached, ...(opened ? [opened.failed] : [])]);
      const texts = { result: output.readText('result'), logs: output.readText('logs') };
      if (stopped !== 'exited') return { why: stopped, exit_code: -1, ...texts };
      // Code that closes its outputs ends the stream and may keep running.
      const end = await Promise.race([this.#waitForEnd(id, timeout_ms + GRACE_MS), limit.reached]);
      if (end === 'timeout' || end === 'aborted') return { why: end, exit_code: -1, ...texts };
      return { why: end.out_of_memory ? 'memory' : 'exited', exit_code: end.exit_code, ...texts };
    } finally {
      limit.release();
      opened?.close();
      stream.destroy();
    }
  }

  /** The stream ends a moment before the engine has recorded the end. */
  async #waitForEnd(id: string, within_ms: number): Promise<{ exit_code: number; out_of_memory: boolean }> {
    const waiting = { within_ms };
    const path = `/containers/${id}/wait`;
    const { StatusCode } = await this.#engine.call<{ StatusCode: number }>('POST', path, undefined, waiting);
    const { State } = await this.#engine.call<{ State: { OOMKilled: boolean } }>(
      'GET',
      `/containers/${id}/json`,
    );
    return { exit_code: StatusCode, out_of_memory: State.OOMKilled && StatusCode !== 0 };
  }

  /** Also kills it. Resolves with the reason if it was not removed. */
  #remove(id: string): Promise<unknown> {
    return this.#drop(`/containers/${id}?force=1&v=1`);
  }

  /** If the engine is away or does not answer, the next sweep of this process tries again. */
  #drop(path: string): Promise<unknown> {
    const removal = this.#engine.call('DELETE', path).then(
      () => void this.#owed.delete(path),
      (error: unknown) => {
        const isOwed = error instanceof EngineError && error.status === 0;
        this.#owed[isOwed ? 'add' : 'delete'](path);
        return error;
      },
    );
    this.#removals.add(removal);
    return removal.finally(() => this.#removals.delete(removal));
  }

  /** Resolves when there is no container of that name; one whose process has died is removed. Gives up after that time. */
  async untilGone(
    name: string,
    { within_ms, signal }: { within_ms: number; signal: AbortSignal },
  ): Promise<void> {
    let last = '';
    for (let [waited_ms, since_ms] = [0, 0]; waited_ms < within_ms; waited_ms += POLL_MS) {
      const status = await this.#readStatus(name);
      if (status === undefined) return;
      if (status !== last) [last, since_ms] = [status, waited_ms];
      if (waited_ms - since_ms >= (ABANDONED_MS[status] ?? Infinity)) return void (await this.#remove(name));
      await pause(POLL_MS, undefined, { signal });
    }
  }

  async #readStatus(name: string): Promise<string | undefined> {
    try {
      const path = `/containers/${name}/json`;
      return (await this.#engine.call<{ State: { Status: string } }>('GET', path)).State.Status;
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Removes what a process of this installation left behind that ended without warning, and packages that are old. Ages
   * are those by the engine's clock, which has also noted when everything was made. Returns how much it was.
   */
  async sweep(): Promise<number> {
    const labelled = (label: string) => encodeURIComponent(JSON.stringify({ label: [label] }));
    const own = labelled(`${INSTALLATION}=${await this.#installation}`);
    const [{ SystemTime }, containers, { Volumes }] = await Promise.all([
      this.#engine.call<{ SystemTime: string }>('GET', '/info'),
      this.#engine.call<Listed[]>('GET', `/containers/json?all=1&filters=${own}`),
      this.#engine.call<Volumes>('GET', `/volumes?filters=${labelled(LABEL)}`),
    ]);
    await Promise.all([...this.#owed].map((path) => this.#drop(path)));
    const now = Date.parse(SystemTime);
    // A process removes a container within moments of its end, and programs may be allowed to run for hours.
    const expired = containers.filter(
      ({ Id, Created, Labels }) =>
        this.#ended.has(Id) || !(now - Created * 1_000 <= Number(Labels[LIFETIME])),
    );
    this.#ended = new Set(containers.filter(({ State }) => State === 'exited').map(({ Id }) => Id));
    await Promise.all(expired.map(({ Id }) => this.#remove(Id)));
    const old = (Volumes ?? []).filter(({ CreatedAt }) => Date.parse(CreatedAt) < now - PACKAGES_KEPT_MS);
    // One that is in use is refused, and its time comes later.
    await Promise.all(
      old.map(({ Name }) => this.#engine.call('DELETE', `/volumes/${Name}`).catch(() => undefined)),
    );
    return expired.length + old.length;
  }

  /** Removes a volume that no container uses any more; one that is not there is gone already. */
  async removeVolume(name: string): Promise<void> {
    await this.#drop(`/volumes/${name}?force=1`);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#removals);
  }
}

/** When a container is ended, at the latest; `release` drops what waits for it. */
function createLimit({ timeout_ms, signal }: Pick<ContainerRun, 'timeout_ms' | 'signal'>) {
  const released = new AbortController();
  const reached = new Promise<'timeout' | 'aborted'>((resolve) => {
    const timer = setTimeout(() => resolve('timeout'), timeout_ms);
    released.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: released.signal });
  });
  return { reached, release: () => released.abort() };
}

function untilEnd(stream: Duplex, output: Output): ReadyContainer['over'] {
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      output.takeFrames(chunk);
      if (output.exceeded) resolve(output.exceeded);
    });
    stream.on('end', () => resolve('exited'));
    stream.on('close', () => resolve('exited'));
    // A container that ends early does not read its input; what it wrote is what counts.
    stream.on('error', () => resolve('exited'));
  });
}
