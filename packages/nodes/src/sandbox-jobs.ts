import type { Json, JsonObject } from '@millrace/engine';

/** Code of a user that is run apart from the service. */
export interface CodeJob {
  readonly language: 'python' | 'javascript';
  /** Defines the function named by `entry` at its top level. */
  readonly source: string;
  readonly entry: string;
  readonly values: JsonObject;
  /** Whether the function takes all values as one argument or each as an argument of its name. */
  readonly passes: 'one' | 'named';
  /** Packages as the installer of the language takes them; empty: none. */
  readonly requirements: readonly string[];
  readonly allow_network: boolean;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

export interface CodeOutcome {
  readonly result: Json;
  /** What the code printed. */
  readonly logs: string;
  readonly install: { readonly ok: boolean; readonly tool: string; readonly log: string };
}

/** A script in Python that reads text and prints text, with files beside it. */
export interface ScriptJob {
  /** By their paths, which are relative and stay inside. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Path of the file that is run. */
  readonly script: string;
  /** What it reads from its standard input. */
  readonly input: string;
  /** Packages as the installer takes them; empty: none. */
  readonly requirements: readonly string[];
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

export interface ScriptOutcome {
  /** What it wrote to its standard output. */
  readonly printed: string;
  /** What it left in the folder `_OUTPUT_DIR`, by paths in it. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}
