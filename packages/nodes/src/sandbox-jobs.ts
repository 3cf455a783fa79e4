import type { Json, JsonObject, NodeFailure } from '@millrace/engine';

/** Code of a user that is run apart from the service. */
export interface CodeJob {
  readonly language: 'python' | 'javascript';
  /** JavaScript with types, which are taken out before it is run; they are not checked. */
  readonly is_typescript?: boolean;
  /** Defines the function named by `entry` at its top level. */
  readonly source: string;
  readonly entry: string;
  readonly values: JsonObject;
  /** Whether the function takes all values as one argument or each as an argument of its name. */
  readonly passes: 'one' | 'named';
  /** Packages as the installer of the language takes them; empty: none. */
  readonly requirements: readonly string[];
  readonly allow_network: boolean;
  /**
   * Files that the code finds in the folder `_INPUT_DIR`, by names without folders; it may leave files in
   * `_OUTPUT_DIR`. Absent: it has neither folder.
   */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

export interface CodeOutcome {
  readonly result: Json;
  /** The text that the code printed. */
  readonly logs: string;
  readonly install: { readonly ok: boolean; readonly tool: string; readonly log: string };
  /** Files that it left in the folder `_OUTPUT_DIR`, by paths in it; absent when the job has no files. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

/** A script in Python that reads text and prints text, with files beside it. */
export interface ScriptJob {
  /** By their paths, which are relative and stay inside. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Path of the file that is run. */
  readonly script: string;
  /** The text that it reads from its standard input. */
  readonly input: string;
  /** Packages as the installer takes them; empty: none. */
  readonly requirements: readonly string[];
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

export interface ScriptOutcome {
  /** The text that it wrote to its standard output. */
  readonly printed: string;
  /** Files that it left in the folder `_OUTPUT_DIR`, by paths in it. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A program that is spoken to over its standard input and output for as long as it runs. */
export interface ProgramJob {
  /** Of its packages, and of its image unless it names another one. */
  readonly language: 'python' | 'javascript';
  /** The image with a browser in the place of that of the language. */
  readonly image?: 'browser';
  /** Name of a command of the image or of the packages, or a path in the container; empty for the main command of `main_of`. */
  readonly command: string;
  /** The npm package whose main command is run. */
  readonly main_of?: string;
  readonly args: readonly string[];
  /** Variables of its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Packages as the installer of the language takes them; empty: none. */
  readonly requirements: readonly string[];
  /** The most that it may use where that differs from code, in bytes. */
  readonly most?: {
    readonly memory: number;
    /** Of its standard output. */
    readonly output: number;
    /** Of the folder for temporary files, which counts as memory, too. */
    readonly temporary?: number;
  };
  /** Programs of one run with the same name find the files of those before them at `/var/tmp`. Absent: there is no such folder. */
  readonly workspace?: string;
  /** As for code: only a program with packages may have one (§8.4). */
  readonly allow_network: boolean;
  /** From its start, which follows the installation of its packages. */
  readonly timeout_ms: number;
  /** How long it may wait for a place; absent: as long as it may run. */
  readonly start_within_ms?: number | undefined;
  readonly signal: AbortSignal;
  /** Asked repeatedly while others wait for a place: whether this program ends now because it is idle. */
  onCrowded?(): boolean;
  /** A piece of its standard output. */
  onOutput(piece: Uint8Array): void;
  /** A line of its standard error. */
  onLog(line: string): void;
  /** Why it is over, once; not after `close`. */
  onEnd(failure: NodeFailure): void;
}

export interface RunningProgram {
  /** To its standard input. Resolves when it is on its way; what is written to a program that is over is dropped. */
  write(text: string): Promise<void>;
  /** Ends it; nothing of it is left when the promise resolves. */
  close(): Promise<void>;
}
