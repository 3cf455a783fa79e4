import { type Failure, type JsonObject, NodeFailure } from '@millrace/engine';
import { GIGABYTE, HOUR_MS, MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { Tunnels } from '../kit/network/tunnels.ts';
import { settleable } from '../kit/values/settleable.ts';
import type { Egress, NodeServices, ProgramJob, RunningProgram } from '../services.ts';
import { BROWSER_PROGRAM } from './browser-program.ts';
import { isOfTunnel, Messages, type Said } from './messages.ts';

/** The version of the default image with a browser (`SANDBOX_BROWSER_IMAGE`). */
const PLAYWRIGHT_VERSION = '1.65.1';

const MOST = { memory: 1.5 * GIGABYTE, output: 900 * MEGABYTE, temporary: 512 * MEGABYTE } as const;
const SESSION_MS = HOUR_MS / 2;
const START_MS = 90_000;
/** The program keeps the time of each step itself; this is for one that does not answer. */
const GRACE_MS = 15_000;

export interface BrowserOptions extends JsonObject {
  readonly headless: boolean;
  readonly stealth: boolean;
  readonly captures_network: boolean;
}

/** A step as the program takes it. */
export interface Command extends JsonObject {
  readonly action: string;
  readonly timeout: number;
}

interface Services extends Pick<NodeServices, 'startProgram'> {
  readonly http: Pick<Egress, 'connect'>;
}

/** Starts a browser in a container without a network. The caller closes it. Throws `NodeFailure`. */
export async function openBrowser(
  services: Services,
  signal: AbortSignal,
  options: BrowserOptions,
): Promise<Browser> {
  const browser = new Browser(services, signal);
  try {
    await browser.start(services, signal, options);
    return browser;
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** A browser in its container. */
export class Browser {
  readonly #tunnels: Tunnels;
  readonly #waiting = new Map<number, ReturnType<typeof settleable<unknown>>>();
  #program: RunningProgram | undefined;
  #end: NodeFailure | undefined;
  #last = 0;

  constructor({ http }: Services, signal: AbortSignal) {
    this.#tunnels = new Tunnels({
      who: 'The pages',
      http,
      signal,
      send: (message) => this.#send(message),
      onLimit: (failure) => this.#fail(failure),
    });
  }

  async start(services: Services, signal: AbortSignal, options: BrowserOptions): Promise<void> {
    const messages = new Messages((message) => this.#hear(message));
    const job: ProgramJob = {
      language: 'javascript',
      image: 'browser',
      command: 'node',
      args: ['-e', BROWSER_PROGRAM],
      variables: {},
      requirements: [`playwright-core@${PLAYWRIGHT_VERSION}`],
      // Its connections are those of `Tunnels`, which the guard of the service checks.
      allow_network: false,
      most: MOST,
      timeout_ms: SESSION_MS,
      signal,
      onOutput: (piece) => messages.take(piece),
      onLog: () => undefined,
      onEnd: ({ failure }) => this.#fail(new NodeFailure(named(failure))),
    };
    this.#program = await services.startProgram(job);
    await this.#ask({ type: 'start', ...options }, START_MS);
  }

  /** The result of the step. Throws `NodeFailure`, and for a value of another shape as well. */
  async perform<T>(command: Command, schema: z.ZodType<T>): Promise<T> {
    const { data, success } = schema.safeParse(
      await this.#ask({ type: 'do', step: command }, command.timeout + GRACE_MS),
    );
    if (success) return data;
    throw new NodeFailure({ kind: 'upstream', message: 'The browser answered with something else' });
  }

  /** Why no connection to the host of an address could be opened. */
  findRefusal(address: string): string | undefined {
    const { hostname } = new URL(address);
    return this.#tunnels.findRefusal(hostname.replace(/^\[|\]$/g, ''));
  }

  async close(): Promise<void> {
    this.#fail(new NodeFailure({ kind: 'cancelled', message: 'The browser was closed' }));
    await this.#program?.close();
  }

  async #ask(message: JsonObject, within_ms: number): Promise<unknown> {
    if (this.#end) throw this.#end;
    const id = ++this.#last;
    const answer = settleable<unknown>();
    // It may fail before anyone waits for it.
    answer.promise.catch(() => undefined);
    this.#waiting.set(id, answer);
    const late = new NodeFailure({ kind: 'timeout', message: 'The browser does not answer' });
    const timer = setTimeout(() => answer.reject(late), within_ms);
    try {
      await this.#send({ ...message, id });
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async #send(message: JsonObject): Promise<void> {
    if (!this.#end) await this.#program?.write(`${JSON.stringify(message)}\n`);
  }

  #hear(message: Said): void {
    if (this.#end) return;
    if (isOfTunnel(message)) return this.#tunnels.hear(message);
    const answer = this.#waiting.get(message.id);
    if (message.type === 'done') answer?.resolve(message.value);
    else answer?.reject(new NodeFailure({ kind: message.kind, message: message.message }));
  }

  /** Nothing is heard any more. */
  #fail(failure: NodeFailure): void {
    this.#end ??= failure;
    this.#tunnels.close();
    for (const answer of this.#waiting.values()) answer.reject(failure);
  }
}

/** The program in the container is named "node" there, which says nothing to people. */
const named = (failure: Failure): Failure => ({
  ...failure,
  message: failure.message.replace(/^The program "node"/, 'The browser'),
});
