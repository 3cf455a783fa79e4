import { type JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { ProgramJob, RunningProgram } from '@millrace/nodes/runtime';
import { settleable } from '@millrace/nodes/settleable';
import type { OpenContainer } from './containers/containers.ts';
import { silentProgram } from './containers/fitness.ts';
import { LIMITS } from './containers/limits.ts';
import { type Channel, Frames } from './output.ts';
import { pacedWriting } from './paced-writing.ts';

/** The greeting that the program of the sandbox sends before the other one begins. */
type Greeting =
  | { readonly problem?: undefined }
  | { readonly problem: 'no_packages' }
  | { readonly problem: 'no_command'; readonly has: readonly string[] };

/** Limit for the first output of a program of this folder, which starts within a second or two. */
const GREETS_WITHIN_MS = 60_000;
/** Between the end of the output and that of the process; one that only closes its output is ended. */
const END_MS = 2_000;
const ERRORS_SHOWN = 3_000;
const KILLED = 137;
const NEWLINE = 0x0a;
const COMMANDS_SHOWN = 20;

/** The line that the program of the sandbox reads. */
export function programInput(job: ProgramJob, marker: string, more: JsonObject): string {
  const { command, main_of, args, variables } = job;
  return JSON.stringify({
    marker,
    command,
    ...(main_of === undefined ? {} : { main_of }),
    args: [...args],
    variables: { ...variables },
    ...more,
  });
}

/** A program in its container, from the first byte until the container is removed. */
export class ContainerProgram implements RunningProgram {
  readonly #job: ProgramJob;
  readonly #container: OpenContainer;
  readonly #marker: string;
  readonly #frames = new Frames();
  readonly #sizes = { result: 0, logs: 0 };
  readonly #logs = new Lines((line) => this.#job.onLog(line));
  readonly #timer: NodeJS.Timeout;
  readonly #greeting = settleable<Greeting>();
  #greeted: Buffer[] | undefined = [];
  #removal: Promise<void> | undefined;
  /** Its owner has agreed to end it. */
  #isLeaving = false;
  readonly #write: (text: string) => Promise<void>;
  readonly #over = settleable<void>();

  constructor(
    job: ProgramJob,
    container: OpenContainer,
    { input, marker }: { input: string; marker: string },
  ) {
    this.#job = job;
    this.#container = container;
    this.#marker = marker;
    this.#timer = setTimeout(() => this.#end(this.#late()), job.timeout_ms);
    // It may fail before `begin` waits for it, which must not count as an unhandled rejection.
    this.#greeting.promise.catch(() => undefined);
    const { stream } = container;
    this.#write = pacedWriting(stream);
    stream.on('data', (chunk: Buffer) => this.#frames.take(chunk, (...data) => this.#take(...data)));
    for (const end of ['end', 'close', 'error']) stream.on(end, () => void this.#ended());
    job.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (job.signal.aborted) this.#onAbort();
    else stream.write(`${input}\n`);
  }

  /** Settles when the container is removed. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** False when its packages are not installed. Throws `NodeFailure`. */
  async begin(): Promise<boolean> {
    const within_ms = Math.min(GREETS_WITHIN_MS, this.#job.timeout_ms);
    const silence = setTimeout(() => this.#end(silentProgram()), within_ms);
    const greeting = await this.#greeting.promise.finally(() => clearTimeout(silence));
    if (greeting.problem === undefined) return true;
    await this.close();
    if (greeting.problem === 'no_packages') return false;
    throw noCommand(this.#job, greeting.has);
  }

  async write(text: string): Promise<void> {
    if (this.#removal) return;
    // The limits apply to each call of a program that is kept for many.
    this.#sizes.result = this.#sizes.logs = 0;
    await this.#write(text);
  }

  /** Whether it is about to leave its place. */
  get is_leaving(): boolean {
    return this.#isLeaving || this.#removal !== undefined;
  }

  leaveIfIdle(): void {
    if (!this.is_leaving) this.#isLeaving = this.#job.onCrowded?.() === true;
  }

  /** Like `close`, for those who do not own it: its owner is told. */
  async stop(): Promise<void> {
    this.#end(this.#failure('upstream', 'was ended, because the service stops'));
    await this.over;
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#job.signal.removeEventListener('abort', this.#onAbort);
    this.#removal ??= this.#container.remove().finally(() => this.#over.resolve());
    return this.#removal;
  }

  readonly #onAbort = (): void =>
    this.#end(new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' }));

  #end(failure: NodeFailure): void {
    if (this.#removal) return;
    this.#logs.flush();
    void this.close();
    if (this.#greeted) this.#greeting.reject(failure);
    else this.#job.onEnd(failure);
  }

  #take(channel: Channel, data: Buffer): void {
    if (this.#removal) return;
    this.#sizes[channel] += data.length;
    if (this.#sizes[channel] > this.#most(channel)) return this.#end(this.#tooMuch(channel));
    if (channel === 'logs') return this.#logs.take(data);
    if (!this.#greeted) return this.#job.onOutput(data);
    const at = data.indexOf(NEWLINE);
    this.#greeted.push(at < 0 ? data : data.subarray(0, at));
    if (at >= 0) this.#greet(Buffer.concat(this.#greeted).toString('utf8'), data.subarray(at + 1));
  }

  #greet(line: string, rest: Buffer): void {
    if (!line.startsWith(this.#marker)) return this.#end(this.#failure('upstream', 'cannot be started'));
    this.#greeted = undefined;
    // Guarantee: the first line was written by a program of this folder, which begins before all others.
    this.#greeting.resolve(JSON.parse(line.slice(this.#marker.length)) as Greeting);
    if (rest.length > 0) this.#job.onOutput(rest);
  }

  async #ended(): Promise<void> {
    if (this.#removal) return;
    try {
      const { exit_code, out_of_memory } = await this.#container.end(END_MS);
      // The heap of Node ends before the memory of the container does.
      if (out_of_memory || exit_code === KILLED || /heap out of memory/.test(this.#logs.last))
        return this.#end(this.#failure('limit', `needs more than ${this.#memory / MEGABYTE} MB of memory`));
      this.#end(this.#failure('upstream', `ended with exit code ${exit_code}`));
    } catch {
      this.#end(this.#failure('upstream', 'closed its output, or the container engine ended its container'));
    }
  }

  get #memory(): number {
    return this.#job.most?.memory ?? LIMITS.memory;
  }

  #most(channel: Channel): number {
    return channel === 'logs' ? LIMITS.logs : (this.#job.most?.output ?? LIMITS.result);
  }

  #late(): NodeFailure {
    return this.#failure('timeout', `ran longer than ${Math.round(this.#job.timeout_ms / 1_000)} s`);
  }

  #tooMuch(channel: Channel): NodeFailure {
    const where = channel === 'logs' ? 'standard error' : 'standard output';
    return this.#failure('limit', `writes more than ${this.#most(channel) / 1e6} MB to its ${where}`);
  }

  #failure(kind: 'upstream' | 'limit' | 'timeout', words: string): NodeFailure {
    const errors = this.#logs.last.trim().slice(-ERRORS_SHOWN);
    const message = `The program ${describeProgram(this.#job)} ${words}`;
    return new NodeFailure({
      kind,
      message: kind === 'upstream' && errors !== '' ? `${message}:\n${errors}` : message,
    });
  }
}

const describeProgram = ({ command, main_of }: ProgramJob): string =>
  `"${(main_of ?? command).slice(0, 100)}"`;

function noCommand(job: ProgramJob, has: readonly string[]): NodeFailure {
  const { language, main_of, requirements } = job;
  const image = language === 'python' ? 'Python' : 'Node.js';
  const packages =
    requirements.length === 0 ? ' and no packages' : ` and ${requirements.join(', ').slice(0, 200)}`;
  const known =
    has.length === 0 ? '' : `; the packages have the commands ${has.slice(0, COMMANDS_SHOWN).join(', ')}`;
  const what =
    main_of === undefined
      ? `names ${describeProgram(job)}, which is not in the container`
      : `names ${describeProgram(job)}, a package without a command of its name`;
  const message = `${what}: it has ${image}${packages}${known}`;
  return new NodeFailure({ kind: 'params', message, final: true });
}

/** Lines of a text that comes in pieces, and the end of the whole text. */
class Lines {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';
  last = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(data: Buffer): void {
    const text = this.#decoder.decode(data, { stream: true });
    this.last = (this.last + text).slice(-2 * ERRORS_SHOWN);
    const lines = (this.#rest + text).split('\n');
    // A line without an end is handed on in parts, so that nothing grows here.
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > ERRORS_SHOWN) lines.push(this.#rest);
    if (this.#rest.length > ERRORS_SHOWN) this.#rest = '';
    for (const line of lines) this.#onLine(line);
  }

  flush(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}
