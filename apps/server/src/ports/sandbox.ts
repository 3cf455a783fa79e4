import type {
  CodeJob,
  CodeOutcome,
  Egress,
  ProgramJob,
  RunningProgram,
  ScriptJob,
  ScriptOutcome,
} from '@millrace/nodes/runtime';

/** Whose code it is: the Code node always has a container, Python tools have what `PLATFORM_PYTHON_TOOL_SANDBOX` names (§8.4). */
export type CodePurpose = 'code' | 'tool';

/** Whether code can be run here; `problem` says what is missing and how to get it, `browser_problem` what only browsers lack. */
export type SandboxState =
  | { readonly status: 'ready'; readonly engine: string; readonly browser_problem?: string }
  | { readonly status: 'unavailable'; readonly problem: string };

/** Runs code of users apart from the service. Fails closed: where the sandbox cannot be had, nothing is run. */
export interface Sandbox {
  /**
   * The kinds of `NodeFailure`: `sandbox` when code cannot be run here, `thrown` for an error of the code with its
   * line, `timeout` and `limit` for what it may not exceed. Nothing of it is left when the promise settles.
   */
  run(job: CodeJob): Promise<CodeOutcome>;
  state(): Promise<SandboxState>;
  close(): Promise<void>;
}

/** The run around a script. */
export interface ScriptRun {
  /** The run, whose scripts share a workspace. */
  readonly run_id: string;
  /** The guard that opens the connections of the script; it has no other network. */
  readonly http: Pick<Egress, 'connect'>;
}

/** Runs scripts of skills, always in containers: they read and write files, which no process of the machine may. */
export interface ScriptSandbox {
  /**
   * Fails as `Sandbox.run` does; `thrown` for a script whose exit code is not 0, with the end of what it wrote to standard error,
   * and for one that sends something else than connections to the service.
   */
  runScript(job: ScriptJob, around: ScriptRun): Promise<ScriptOutcome>;
  /** Removes the workspace of a run that has ended, if it has one. What cannot be removed now goes with old packages. */
  dropWorkspace(run_id: string): Promise<void>;
}

/** Starts programs that are spoken to while they run, always in containers. */
export interface ProgramSandbox {
  /**
   * Resolves when the packages are installed and the program has begun. Fails as `Sandbox.run` does, with kind `params` when
   * there is no such command. The program ends with its time, its signal, its limits, `close` of it, and `close` of the sandbox.
   */
  startProgram(job: ProgramJob): Promise<RunningProgram>;
}

/** The sandboxes of this process. */
export interface Sandboxes {
  of(purpose: CodePurpose): Sandbox;
  readonly scripts: ScriptSandbox;
  readonly programs: ProgramSandbox;
  close(): Promise<void>;
}
