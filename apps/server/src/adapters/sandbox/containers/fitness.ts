import { NodeFailure } from '@millrace/engine';
import type { CodeJob, ProgramJob } from '@millrace/nodes/runtime';
import type { Logger } from 'pino';
import type { SandboxState } from '../../../ports/sandbox.ts';
import { type Engine, EngineError, EngineSilence } from './engine.ts';

type ImageName = CodeJob['language'] | NonNullable<ProgramJob['image']>;

/** Only some programs need the browser, so that code runs where it is missing. */
export type SandboxImages = Readonly<Record<ImageName, string>>;

const IMAGE_SETTINGS: Readonly<Record<ImageName, string>> = {
  python: 'SANDBOX_PYTHON_IMAGE',
  javascript: 'SANDBOX_NODE_IMAGE',
  browser: 'SANDBOX_BROWSER_IMAGE',
};

const HOW = 'See "Code of users" in the operations guide.';
const OTHER_ENGINE = 'on its machine, or name another one with DOCKER_HOST.';

/** An engine that was found fit, and images that were found, are looked for again after this. */
const FIT_FOR_MS = 60_000;

interface FitnessNeeds {
  readonly images: SandboxImages;
  readonly log: Logger;
  readonly now: () => number;
}

/** Whether the engine can hold what this folder relies on. */
export class Fitness {
  readonly #engine: Engine;
  readonly #needs: FitnessNeeds;
  #found: { readonly version: string; readonly until: number } | undefined;
  #ready: { readonly state: SandboxState; readonly until: number } | undefined;

  constructor(engine: Engine, needs: FitnessNeeds) {
    this.#engine = engine;
    this.#needs = needs;
  }

  /** The engine's version. Throws `NodeFailure` that says what is missing. */
  async require(): Promise<string> {
    if (this.#found && this.#found.until > this.#needs.now()) return this.#found.version;
    const info = await this.#engine.call<EngineInfo>('GET', '/info').catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
      if (error.status === 400 && /version/i.test(error.message))
        throw unfit('No sandbox is started, because the container engine is older than 20.10.', error);
      throw unreachable(error);
    });
    const lacking = lackingIn(info);
    if (lacking.length > 0) {
      throw unfit(`No sandbox is started, because the container engine lacks ${lacking.join(', ')}.`);
    }
    this.#found = { version: info.ServerVersion, until: this.#needs.now() + FIT_FOR_MS };
    return info.ServerVersion;
  }

  /** The same with the images, as the answer to those who ask before code is run. */
  async state(): Promise<SandboxState> {
    const { now } = this.#needs;
    if (this.#ready && this.#ready.until > now()) return this.#ready.state;
    try {
      const engine = await this.require();
      for (const language of ['python', 'javascript'] as const)
        await this.#requireImage(language, { language });
      const browser_problem = await this.#requireImage('browser', BROWSER).then(() => undefined, problemIn);
      const state: SandboxState = {
        status: 'ready',
        engine,
        ...(browser_problem ? { browser_problem } : {}),
      };
      // Missing parts may be added at any moment.
      if (!browser_problem) this.#ready = { state, until: now() + FIT_FOR_MS };
      return state;
    } catch (error) {
      return { status: 'unavailable', problem: problemIn(error) };
    }
  }

  async #requireImage(name: ImageName, job: Pick<ProgramJob, 'language' | 'image'>): Promise<void> {
    await this.#engine.call('GET', `/images/${this.#needs.images[name]}/json`).catch((error: unknown) => {
      throw inWords(error, job, this.#needs);
    });
  }
}

const BROWSER = { language: 'javascript', image: 'browser' } as const;

/** @throws the error when it says nothing to people */
function problemIn(error: unknown): string {
  if (error instanceof NodeFailure) return error.failure.message;
  throw error;
}

interface EngineInfo {
  readonly ServerVersion: string;
  readonly OSType: string;
  readonly SecurityOptions: readonly string[] | null;
  readonly MemoryLimit: boolean;
  readonly PidsLimit: boolean;
  readonly CpuCfsQuota: boolean;
}

/** An engine drops limits that its kernel does not have and only warns, which is not enough here. */
function lackingIn(info: EngineInfo): string[] {
  const hasSeccomp = (info.SecurityOptions ?? []).some(
    (option) => option.startsWith('name=seccomp') && !option.includes('unconfined'),
  );
  return [
    ...(info.OSType === 'linux' ? [] : ['Linux containers']),
    ...(hasSeccomp ? [] : ['a seccomp profile']),
    ...(info.MemoryLimit ? [] : ['limits of memory']),
    ...(info.PidsLimit ? [] : ['limits of processes']),
    ...(info.CpuCfsQuota ? [] : ['limits of CPU time']),
  ];
}

const unfit = (message: string, cause?: unknown): NodeFailure =>
  new NodeFailure({ kind: 'sandbox', message: `${message} ${HOW}` }, { cause });

const unreachable = (error: EngineError): NodeFailure =>
  unfit(
    error instanceof EngineSilence
      ? `The container engine accepts calls and does not answer them. Restart it ${OTHER_ENGINE}`
      : 'No sandbox is started, because no container engine can be reached. Start Docker Engine 25 or newer on the machine of the service, or set DOCKER_HOST.',
    error,
  );

/** A program of this folder, whose first word comes within seconds, has said nothing. */
export const silentProgram = (): NodeFailure =>
  unfit(
    `The container engine has started a container, but it produced no output. Restart the engine ${OTHER_ENGINE}`,
  );

/** Errors of the engine as those of the node; the address of the engine is not for everyone. */
export function inWords(
  error: unknown,
  { language, image: own, signal }: Pick<ProgramJob, 'language' | 'image'> & Partial<Pick<CodeJob, 'signal'>>,
  { images, log }: Pick<FitnessNeeds, 'images' | 'log'>,
): unknown {
  if (signal?.aborted && !(error instanceof NodeFailure)) {
    return new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' }, { cause: error });
  }
  if (!(error instanceof EngineError)) return error;
  if (error.status === 0) return unreachable(error);
  if (error.status === 404 && /image/i.test(error.message)) {
    // Packages are installed in the image of the language.
    const isOwn = own !== undefined && !error.message.includes(images[language]);
    return noImage(isOwn ? own : language, images, error);
  }
  log.error({ err: error, status: error.status }, 'the container engine refuses a sandbox');
  return unfit(
    'No sandbox is started, because the container engine refuses the container; its reason is in the log of the service.',
    error,
  );
}

function noImage(name: ImageName, images: SandboxImages, cause: unknown): NodeFailure {
  const what = name === 'browser' ? 'No browser' : 'No sandbox';
  const get = `Get it on the machine of the engine with "docker pull ${images[name]}", or name another one with ${IMAGE_SETTINGS[name]}.`;
  return unfit(`${what} is started, because the image ${images[name]} is missing. ${get}`, cause);
}
