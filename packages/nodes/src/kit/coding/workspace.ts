import { type Failure, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { GIGABYTE, MEGABYTE } from '@millrace/engine/units';
import type { NodeServices, ProgramJob, RunningProgram } from '../../services.ts';
import { settleable } from '../values/settleable.ts';
import { WORKSPACE } from './fields.ts';
import { type ChangedFile, type Ended, Messages, type Said } from './messages.ts';
import { WORKSPACE_PROGRAM } from './workspace-program.ts';

/** A part of it for one node. */
export const workspaceFolder = (key: string): string => `/var/tmp/${key}`;

/** The packages that unpack archives, compare files and read `.gitignore` in the container. */
const LIBRARIES = ['tar@7.5.23', 'diff@9.0.0', 'ignore@7.0.17'];
const MOST = { memory: 2 * GIGABYTE, output: 64 * MEGABYTE } as const;
const MAX_FILES = 300;
const MAX_SIZE = 5 * MEGABYTE;
const ERRORS_SHOWN = 2_000;

/** How the command line of an agent is called. Paths of `commands` are below its packages. */
export interface Invocation {
  readonly requirements: readonly string[];
  /** The first one that exists is started. */
  readonly commands: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Texts by path, which are written into the folder of the workspace. */
  readonly files: Readonly<Record<string, string>>;
  /** Likewise, but only while the agent works; null only removes what an interrupted round has left. */
  readonly secret_files?: Readonly<Record<string, string | null>>;
  /** Folder of its sessions within the workspace, and the type of line that is read from them when the agent has ended. */
  readonly session?: { readonly folder: string; readonly type: string };
  readonly fresh: Start;
  /** For a workspace in which the agent has worked before. */
  readonly continued?: Start;
}

interface Start {
  readonly args: readonly string[];
  /** Of its standard input. */
  readonly input: string;
}

interface Work {
  readonly invocation: Invocation;
  readonly setup: string;
  readonly keeps_contents: boolean;
  readonly folder: string;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  readonly title: string;
  /** A gzipped tar file of the repository, asked for when the workspace is empty. */
  fetchArchive(): Promise<Uint8Array>;
  /** `stop` ends the agent; what it has changed is kept. */
  onEvent(event: JsonObject): 'stop' | undefined;
  onStage(stage: 'setup' | 'agent'): void;
}

export type Worked = {
  readonly files: ChangedFile[];
  readonly diff: string;
  readonly exit_code: number;
  readonly end: string;
  /** It was asked to stop, which it may have heard too late. */
  readonly is_stopped: boolean;
};

/** Lets an agent work in a container until it ends. Throws `NodeFailure`. */
export async function work(services: Pick<NodeServices, 'startProgram'>, job: Work): Promise<Worked> {
  const { promise, resolve, reject } = settleable<Ended>();
  // It may fail before anyone waits for it.
  promise.catch(() => undefined);
  let program: RunningProgram | undefined;
  const sendArchive = async () => {
    const bytes = await job.fetchArchive();
    await program?.write(`${JSON.stringify({ archive: Buffer.from(bytes).toString('base64') })}\n`);
  };
  let is_stopped = false;
  const takeEvent = (event: JsonObject) => {
    if (job.onEvent(event) !== 'stop' || is_stopped) return;
    is_stopped = true;
    program?.write(`${JSON.stringify({ stop: true })}\n`).catch(reject);
  };
  let isAsked = false;
  const hear = (said: Said): void => {
    if (said.type === 'event') takeEvent(said.event);
    else if (said.type === 'stage') job.onStage(said.stage);
    else if (said.type === 'end') resolve(said);
    else if (!isAsked) {
      isAsked = true;
      sendArchive().catch(reject);
    }
  };
  const onEnd = ({ failure }: NodeFailure) => reject(new NodeFailure(named(failure, job)));
  program = await services.startProgram(buildProgramJob(job, { hear, onEnd }));
  try {
    await program.write(`${JSON.stringify(toProgramInput(job))}\n`);
    return { ...checked(await promise, job), is_stopped };
  } finally {
    await program.close();
  }
}

function buildProgramJob(
  { invocation, timeout_ms, signal }: Work,
  { hear, onEnd }: { hear(said: Said): void; onEnd(failure: NodeFailure): void },
): ProgramJob {
  const messages = new Messages(hear);
  return {
    language: 'javascript',
    command: 'node',
    args: ['-e', WORKSPACE_PROGRAM],
    variables: {},
    requirements: [...invocation.requirements, ...LIBRARIES],
    allow_network: true,
    most: MOST,
    workspace: WORKSPACE,
    timeout_ms,
    signal,
    onOutput: (piece) => messages.take(piece),
    onLog: () => undefined,
    onEnd,
  };
}

const toProgramInput = ({ invocation, setup, keeps_contents, folder }: Work): Json => ({
  folder,
  setup,
  keeps_contents,
  max_files: MAX_FILES,
  max_size: MAX_SIZE,
  commands: [...invocation.commands],
  variables: { ...invocation.variables },
  files: { ...invocation.files },
  secret_files: { ...invocation.secret_files },
  ...(invocation.session ? { session: { ...invocation.session } } : {}),
  fresh: toStartData(invocation.fresh),
  ...(invocation.continued ? { continued: toStartData(invocation.continued) } : {}),
});

/** The program in the container is named "node" there, which says nothing to people. */
const named = (failure: Failure, { title }: Work): Failure => ({
  ...failure,
  message: failure.message.replace(/^The program "node"/, title),
});

const toStartData = ({ args, input }: Start): JsonObject => ({ args: [...args], input });

function checked(said: Ended, { title }: Work): Omit<Worked, 'is_stopped'> {
  const { stage, exit_code, end } = said;
  if (stage === 'setup') {
    throw new NodeFailure({
      kind: 'thrown',
      field: 'setupCommand',
      message: `The setup command ended with exit code ${exit_code}${formatTail(end)}`,
    });
  }
  if (said.problem === 'changes') {
    throw new NodeFailure({
      kind: 'limit',
      message: `${title} changed more than ${MAX_FILES} files or ${MAX_SIZE / MEGABYTE} MB; files that are built belong into .gitignore`,
    });
  }
  const files = said.files.map(({ content, ...file }) =>
    content === undefined ? file : { ...file, content },
  );
  return { files, diff: said.diff, exit_code, end };
}

export function formatTail(end: string): string {
  const text = end.trim().slice(-ERRORS_SHOWN);
  return text === '' ? '' : `:\n${text}`;
}
