import { MEGABYTE } from '@millrace/engine/units';

/** Limits that no sandbox may exceed (§8.4); sizes in bytes. */
export const LIMITS = {
  memory: 512 * MEGABYTE,
  cpus: 1,
  processes: 256,
  /** Of the folder for temporary files, which counts as memory, too. */
  temporary: 64 * MEGABYTE,
  install_ms: 120_000,
  execution_ms: 60_000,
  /** Of what the code returns, as JSON. */
  result: 10_000_000,
  /** Of what the code prints. */
  logs: 1_000_000,
  /** Of the files that a script leaves: how many, and their bytes together. */
  files: 50,
  files_size: 20_000_000,
  /** Of what scripts of one run keep for each other. */
  workspace: 200_000_000,
} as const;

/** How the programs of the sandbox, which are texts, are started. */
export const BEGIN = {
  python: ['python3', '-I', '-c'],
  javascript: ['node', '--max-old-space-size=384', '-e'],
} as const;
