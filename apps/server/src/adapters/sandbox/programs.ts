import type { ProgramJob, RunningProgram } from '@millrace/nodes/runtime';
import type { Containers } from './containers/containers.ts';
import type { SandboxImages } from './containers/fitness.ts';
import { BEGIN } from './containers/limits.ts';
import { Slots } from './containers/slots.ts';
import { newMarker } from './job.ts';
import { ContainerProgram, programInput } from './program.ts';
import { PROGRAM } from './programs/program.ts';
import { type Forwarded, networkFacts } from './variables.ts';

interface ProgramsOptions {
  readonly images: SandboxImages;
  readonly network: string;
  readonly forwarded: Forwarded;
  /** Name of the volume of a workspace. */
  readonly deriveWorkspaceName: (name: string) => Promise<string>;
  /** How many run at once. */
  readonly concurrency: number;
}

/** A program is idle for seconds while a model writes. */
const ASK_AGAIN_MS = 250;

/** Programs that run beside their callers. Their places are separate: one may run for an hour, and code would wait for it. */
export class Programs {
  readonly #options: ProgramsOptions;
  readonly #containers: Containers;
  readonly #slots: Slots;
  readonly #running = new Set<ContainerProgram>();
  #asking: NodeJS.Timeout | undefined;

  constructor(options: ProgramsOptions, containers: Containers) {
    this.#options = options;
    this.#containers = containers;
    this.#slots = new Slots(options.concurrency);
  }

  /** Undefined when its packages are not installed. */
  start(job: ProgramJob, volume: string | undefined): Promise<RunningProgram | undefined> {
    return new Promise((resolve, reject) => {
      const work = async () => {
        const program = await this.#open(job, volume);
        this.#running.add(program);
        try {
          resolve((await program.begin()) ? program : undefined);
          await program.over;
        } finally {
          this.#running.delete(program);
        }
      };
      // Those that have a place may keep it for hours.
      const { signal, timeout_ms, start_within_ms: longest_ms = timeout_ms } = job;
      this.#slots.use(signal, work, { longest_ms }).catch(reject);
      this.#askForPlaces();
    });
  }

  /** Repeats while anyone waits, because a program that is busy now may soon be idle. The oldest are asked first. */
  #askForPlaces(): void {
    clearTimeout(this.#asking);
    this.#asking = undefined;
    if (this.#slots.waiting === 0) return;
    const leaving = () => [...this.#running].filter(({ is_leaving }) => is_leaving).length;
    for (const program of this.#running) {
      if (leaving() >= this.#slots.waiting) break;
      program.leaveIfIdle();
    }
    this.#asking = setTimeout(() => this.#askForPlaces(), ASK_AGAIN_MS).unref();
  }

  async #open(job: ProgramJob, volume: string | undefined): Promise<ContainerProgram> {
    const { forwarded, images, network } = this.#options;
    const has_packages = volume !== undefined;
    const has_network = job.allow_network && has_packages;
    const marker = newMarker();
    const container = await this.#containers.open({
      kind: 'program',
      image: images[job.image ?? job.language],
      command: [...BEGIN[job.language], PROGRAM[job.language]],
      variables: [...forwarded.locale, ...(has_network ? forwarded.network : [])],
      network: has_network ? network : 'none',
      packages: has_packages ? { volume, is_installing: false } : undefined,
      memory: job.most?.memory,
      temporary: job.most?.temporary,
      workspace:
        job.workspace === undefined ? undefined : await this.#options.deriveWorkspaceName(job.workspace),
      timeout_ms: job.timeout_ms,
    });
    const facts = { has_packages, ...networkFacts(this.#options.forwarded, has_network) };
    return new ContainerProgram(job, container, { input: programInput(job, marker, facts), marker });
  }

  async close(): Promise<void> {
    clearTimeout(this.#asking);
    await Promise.allSettled([...this.#running].map((program) => program.stop()));
  }
}
