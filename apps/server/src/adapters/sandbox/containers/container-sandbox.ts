import { createHash } from 'node:crypto';
import { NodeFailure } from '@millrace/engine';
import type { CodeJob, CodeOutcome, ProgramJob, ScriptJob, ScriptOutcome } from '@millrace/nodes/runtime';
import type { Logger } from 'pino';
import { startPolling } from '../../../core/polling.ts';
import type { ServerParsers } from '../../../ports/parsers.ts';
import type { ProgramSandbox, Sandbox, ScriptRun, ScriptSandbox } from '../../../ports/sandbox.ts';
import { answerIn, getMaxAnswerSize, newMarker, readOutcome, serializeInput } from '../job.ts';
import { JAVASCRIPT } from '../programs/javascript.ts';
import { PYTHON } from '../programs/python.ts';
import { PYTHON_SCRIPT } from '../programs/script.ts';
import { Programs } from '../programs.ts';
import { scriptAnswerSize, scriptInput, scriptOutcome } from '../script-job.ts';
import { scriptTunnels } from '../script-tunnels.ts';
import { type Forwarded, networkFacts } from '../variables.ts';
import { Containers, type Ended } from './containers.ts';
import { connectEngine, EngineError } from './engine.ts';
import { Fitness, inWords, type SandboxImages } from './fitness.ts';
import { BEGIN, LIMITS } from './limits.ts';
import { Slots } from './slots.ts';
import { WarmPool } from './warm-pool.ts';

export interface ContainerSandboxOptions {
  readonly docker_host: string | undefined;
  /** Time limit for calls of the engine that do not wait for a container. */
  readonly engine_answers_within_ms?: number;
  /** Distinguishes containers and packages of this installation from those of others on the same engine; known once it is opened. */
  readonly installation: string | Promise<string>;
  readonly images: SandboxImages;
  /** Name of the engine's network for installing packages, and for code and programs that may use the network. */
  readonly network: string;
  readonly forwarded: Forwarded;
  /** How many containers of code run at once, and how many of programs. */
  readonly concurrency: number;
  /** How many started containers wait for code, for each language that was used lately; 0: none. */
  readonly warm: number;
  /** How long each of them waits. */
  readonly warm_for_ms?: number;
  /** Reads what the code returns, outside the event loop. */
  readonly parsers: ServerParsers;
  readonly log: Logger;
  readonly now: () => number;
}

const PROGRAMS = {
  python: { begin: BEGIN.python, ...PYTHON },
  javascript: { begin: BEGIN.javascript, ...JAVASCRIPT },
} as const;
const REGISTRIES = { python: 'PIP_INDEX_URL', javascript: 'NPM_CONFIG_REGISTRY' } as const;

/** Of all packages of a node together, unpacked. */
const MAX_PACKAGES_BYTES = 1_000_000_000;
const SWEEP_MS = 60_000;
/** Others may be installing the same packages, and may fail. */
const MAX_INSTALLS = 3;

/** Runs each job in a separate container without anything that it does not need (§8.4). */
export function createContainerSandbox(
  options: ContainerSandboxOptions,
): Sandbox & ScriptSandbox & ProgramSandbox {
  const engine = connectEngine(options.docker_host, options.engine_answers_within_ms);
  const containers = new Containers(engine, options.installation);
  const slots = new Slots(options.concurrency);
  const programs = new Programs(
    { ...options, deriveWorkspaceName: (name) => deriveWorkspaceName(options, name) },
    containers,
  );
  const fitness = new Fitness(engine, options);
  const { warm: size, warm_for_ms: ready_for_ms, log } = options;
  const pool = new WarmPool({ size, ready_for_ms, log }, containers);
  const parts: Parts = { options, containers, pool, slots };
  // Where there is no engine there is nothing to sweep, and the state says so.
  const stopSweeping = startPolling({
    every_ms: SWEEP_MS,
    at_once: true,
    work: () => containers.sweep(),
    onError: () => undefined,
  });
  const run = async <T>(packaged: Packaged, once: Once<T>): Promise<T> => {
    await fitness.require();
    try {
      return await runWithPackages(parts, packaged, once);
    } catch (error) {
      throw inWords(error, packaged, options);
    }
  };
  return {
    run: (job) => run(job, (volume) => runOnce(parts, job, volume)),
    runScript(job, around) {
      return run({ ...job, language: 'python' }, (packages) =>
        runScriptOnce(parts, job, { packages, around }),
      );
    },
    dropWorkspace: async (run_id) => containers.removeVolume(await deriveWorkspaceName(options, run_id)),
    startProgram: (job) => run(job, (volume) => programs.start(job, volume)),
    state: () => fitness.state(),
    async close() {
      // An engine that does not answer may keep a sweep for long, and nothing that it uses is closed here.
      void stopSweeping();
      await Promise.all([programs.close(), pool.close()]);
      await containers.close();
    },
  };
}

interface Parts {
  readonly options: ContainerSandboxOptions;
  readonly containers: Containers;
  readonly pool: WarmPool;
  readonly slots: Slots;
}

/** The parts of a job that the installation of packages depends on. */
type Packaged = Pick<CodeJob, 'language' | 'requirements' | 'signal'> & Pick<ProgramJob, 'image'>;

/** One attempt with the volume of the packages; undefined as outcome when they are not installed. */
type Once<T> = (volume: string | undefined) => Promise<T | undefined>;

async function runOnce(
  { options, pool, slots }: Parts,
  job: CodeJob,
  volume: string | undefined,
): Promise<CodeOutcome | undefined> {
  const { begin, run } = PROGRAMS[job.language];
  const { forwarded } = options;
  const marker = newMarker();
  const has_network = job.allow_network && volume !== undefined;
  const ended = await slots.use(job.signal, () =>
    pool.run({
      image: options.images[job.language],
      command: [...begin, run],
      variables: [...forwarded.locale, ...(has_network ? forwarded.network : [])],
      network: has_network ? options.network : 'none',
      packages: volume === undefined ? undefined : { volume, is_installing: false },
      input: serializeInput(job, marker, {
        has_packages: volume !== undefined,
        ...networkFacts(options.forwarded, has_network),
      }),
      answer_size: getMaxAnswerSize(job),
      timeout_ms: job.timeout_ms,
      signal: job.signal,
    }),
  );
  return readOutcome(options.parsers, job, { ended, marker });
}

/** Scripts of skills have no network but connections that the service opens for them, through its guard (§8.4). */
async function runScriptOnce(
  { options, containers, slots }: Parts,
  job: ScriptJob,
  { packages: volume, around }: { readonly packages: string | undefined; readonly around: ScriptRun },
): Promise<ScriptOutcome | undefined> {
  const marker = newMarker();
  const has_packages = volume !== undefined;
  const workspace = await deriveWorkspaceName(options, around.run_id);
  const ended = await slots.use(job.signal, () =>
    containers.run({
      image: options.images.python,
      command: [...PROGRAMS.python.begin, PYTHON_SCRIPT],
      variables: options.forwarded.locale,
      network: 'none',
      packages: has_packages ? { volume, is_installing: false } : undefined,
      workspace,
      dialogue: scriptTunnels({ marker, http: around.http, signal: job.signal }),
      input: scriptInput(job, marker, { has_packages, ...networkFacts(options.forwarded, true) }),
      answer_size: scriptAnswerSize,
      timeout_ms: job.timeout_ms,
      signal: job.signal,
    }),
  );
  return scriptOutcome(options.parsers, job, { ended, marker });
}

/** A first container installs them, a second one runs the code and cannot change them. */
async function runWithPackages<T>(parts: Parts, packaged: Packaged, once: Once<T>): Promise<T> {
  const volume = packaged.requirements.length === 0 ? undefined : await packagesVolume(parts, packaged);
  for (let attempt = 0; attempt <= MAX_INSTALLS; attempt++) {
    const outcome = await once(volume);
    if (outcome) return outcome;
    if (volume !== undefined && attempt < MAX_INSTALLS) await install(parts, packaged, volume);
  }
  throw new NodeFailure({ kind: 'sandbox', message: 'The packages were installed but are not there' });
}

/** An installation installs the same packages from the same registry for the same image only once. */
export function deriveVolumeName(
  {
    installation,
    images,
    forwarded,
  }: Pick<ContainerSandboxOptions, 'images' | 'forwarded'> & { readonly installation: string },
  { language, requirements }: Pick<CodeJob, 'language' | 'requirements'>,
): string {
  const registry = forwarded.network.filter((variable) => variable.startsWith(`${REGISTRIES[language]}=`));
  const lock = JSON.stringify([installation, language, images[language], registry, [...requirements].sort()]);
  return `millrace-packages-${createHash('sha256').update(lock).digest('hex').slice(0, 40)}`;
}

const packagesVolume = async ({ options }: Parts, packaged: Packaged): Promise<string> =>
  deriveVolumeName({ ...options, installation: await options.installation }, packaged);

async function deriveWorkspaceName(
  { installation }: Pick<ContainerSandboxOptions, 'installation'>,
  name: string,
): Promise<string> {
  const key = `${await installation} ${name}`;
  return `millrace-workspace-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
}

interface Installed {
  readonly ok: boolean;
  readonly tool: string;
  readonly log: string;
  readonly too_large: boolean;
}

async function install({ options, containers, slots }: Parts, job: Packaged, volume: string): Promise<void> {
  const { begin, install: program } = PROGRAMS[job.language];
  const marker = newMarker();
  const input = {
    marker,
    requirements: [...job.requirements],
    max_size: MAX_PACKAGES_BYTES,
    ...networkFacts(options.forwarded, true),
  };
  const name = `${volume}-install`;
  try {
    const ended = await slots.use(job.signal, () =>
      containers.run({
        // Of two that install the same, the engine refuses the second.
        name,
        image: options.images[job.language],
        command: [...begin, program],
        variables: [...options.forwarded.locale, ...options.forwarded.network],
        network: options.network,
        packages: { volume, is_installing: true },
        input: JSON.stringify(input),
        timeout_ms: LIMITS.install_ms,
        signal: job.signal,
      }),
    );
    const reading = { parsers: options.parsers, signal: job.signal };
    requireInstalled(ended, await answerIn<Installed>(reading, ended.result, marker));
  } catch (error) {
    if (!(error instanceof EngineError && error.status === 409)) throw error;
    await containers.untilGone(name, { within_ms: LIMITS.install_ms, signal: job.signal });
  }
}

function requireInstalled(ended: Ended, answer: Installed | undefined): void {
  if (ended.why === 'timeout') {
    const message = `The packages were not installed within ${LIMITS.install_ms / 1_000} s`;
    throw new NodeFailure({ kind: 'timeout', message });
  }
  if (ended.why === 'aborted') throw new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' });
  if (answer?.ok) return;
  const log = answer?.log ?? ended.logs;
  const last =
    log
      .trim()
      .split('\n')
      .filter((line) => /error/i.test(line))
      .at(-1) ??
    log.trim().split('\n').at(-1) ??
    '';
  const message = answer?.too_large
    ? `The packages are larger than ${MAX_PACKAGES_BYTES / 1e9} GB`
    : `The packages were not installed: ${last.slice(0, 500)}`;
  const details = { install: { ok: false, tool: answer?.tool ?? 'none', log: log.slice(-10_000) } };
  throw new NodeFailure({ kind: 'upstream', message, details });
}
