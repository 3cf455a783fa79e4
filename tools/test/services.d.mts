export interface Service {
  readonly name: string;
  /** Package of Debian that has it. */
  readonly debian: string;
}

/** The path of the browser for tests; undefined where there is none. */
export function findBrowser(): string | undefined;

/** Those that are missing on this machine. */
export function findMissingServices(): Promise<Service[]>;
