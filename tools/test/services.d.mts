export interface Service {
  readonly name: string;
  /** Package of Debian that has it. */
  readonly debian?: string;
  /** Command of this project that installs it where Debian has no package. */
  readonly command?: string;
}

/** Where `model-engine.sh` installs the engine of the language model. */
export const MODEL_ENGINE: URL;

/** The path of the browser for tests; undefined where there is none. */
export function findBrowser(): string | undefined;

/** Those that are missing on this machine. */
export function findMissingServices(): Promise<Service[]>;
