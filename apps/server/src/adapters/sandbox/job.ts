import { randomBytes } from 'node:crypto';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { CodeJob, CodeOutcome } from '@millrace/nodes/runtime';
import type { ServerParsers } from '../../ports/parsers.ts';
import type { Ended } from './containers/containers.ts';
import { LIMITS } from './containers/limits.ts';
import { decodeFiles, FILES_ANSWER_SIZE, filesInput, linesAfter, MOST_FILES } from './files.ts';

/** The answer of a program of the sandbox. */
type Answer =
  | {
      readonly problem?: undefined;
      readonly result: Json;
      readonly install?: CodeOutcome['install'];
      readonly files?: unknown;
    }
  | { readonly problem: 'error'; readonly message: string; readonly line: number | null }
  | { readonly problem: 'not_json' | 'no_room'; readonly message: string }
  | { readonly problem: 'no_typescript'; readonly version: string }
  | { readonly problem: 'no_entry' | 'no_packages' | 'files' };

/** Marks the answer, in case something else has written to the same channel. */
export const newMarker = (): string => `${randomBytes(16).toString('hex')}:`;

/** Most bytes of the answer to a job. */
export const getMaxAnswerSize = ({ files }: CodeJob): number =>
  files === undefined ? LIMITS.result : LIMITS.result + FILES_ANSWER_SIZE;

/** The line that a program reads. */
export function serializeInput(job: CodeJob, marker: string, more: JsonObject): string {
  const { source, entry, values, passes, is_typescript, files } = job;
  const brought = files === undefined ? {} : filesInput(files);
  return JSON.stringify({ marker, source, entry, values, passes, is_typescript, ...brought, ...more });
}

/** Guarantee: what follows the marker was written by a program of this folder, or by code that can only spoil its own result. */
export async function answerIn<T>(
  { parsers, signal }: { readonly parsers: ServerParsers; readonly signal: AbortSignal },
  text: string,
  marker: string,
): Promise<T | undefined> {
  const at = text.lastIndexOf(marker);
  if (at < 0) return undefined;
  const json = text.slice(at + marker.length);
  const answer = await parsers.run('json', [json, { most_depth: MOST_LEVELS, keeps_all_keys: true }], {
    what: 'The result of the code',
    time_ms: READ_MS,
    signal,
  });
  return answer as T | undefined;
}

/** The programs write no deeper results than a few thousand levels, and later steps walk them recursively. */
const MOST_LEVELS = 1_000;
/** The largest result has millions of values, which takes seconds. */
const READ_MS = 30_000;

const NO_INSTALL = { ok: true, tool: 'none', log: '' };
/** Of what was printed, in the error of the node. */
const MAX_LOGS_IN_ERROR = 10_000;

/** Undefined when the packages of the job are not installed. Throws `NodeFailure`. */
export async function readOutcome(
  parsers: ServerParsers,
  job: CodeJob,
  { ended, marker }: { readonly ended: Ended; readonly marker: string },
): Promise<CodeOutcome | undefined> {
  const reading = { parsers, signal: job.signal };
  const lines = ended.why === 'exited' ? linesAfter(marker, ended.result) : undefined;
  if (lines && Buffer.byteLength(lines.answer) > LIMITS.result)
    throw brokenOff({ ...ended, why: 'result' }, job, 'code');
  const answer = lines && (await answerIn<Answer>(reading, lines.answer, marker));
  if (!answer && lines)
    throw failure(ended, 'thrown', `What ${job.entry} returned is not JSON of at most ${MOST_LEVELS} levels`);
  if (!answer) throw brokenOff(ended, job, 'code');
  switch (answer.problem) {
    case undefined: {
      const { ok, tool, log } = answer.install ?? NO_INSTALL;
      const outcome = { result: answer.result, logs: ended.logs, install: { ok, tool, log } };
      if (job.files === undefined) return outcome;
      const files = decodeFiles(answer.files, lines?.contents ?? []);
      if (!files) throw brokenOff(ended, job, 'code');
      return { ...outcome, files };
    }
    case 'no_packages':
      return undefined;
    case 'no_typescript': {
      const message = `The image of the sandbox has Node ${answer.version}, and TypeScript needs Node 22.13 or newer: name another image in SANDBOX_NODE_IMAGE, or write JavaScript`;
      throw failure(ended, 'sandbox', message);
    }
    case 'no_room':
      throw failure(ended, 'limit', `The files cannot be passed to the code: ${answer.message}`);
    case 'files':
      throw failure(ended, 'limit', `The code left more than ${MOST_FILES} in _OUTPUT_DIR`);
    case 'no_entry':
      throw failure(ended, 'thrown', `The code has no function ${job.entry} at its top level`);
    case 'not_json':
      throw failure(ended, 'thrown', `What ${job.entry} returned is not JSON: ${answer.message}`);
    case 'error': {
      const at = answer.line === null ? '' : `Line ${answer.line}: `;
      const more = answer.line === null ? {} : { line: answer.line };
      throw failure(ended, 'thrown', `${at}${answer.message}`, more);
    }
    default:
      return answer satisfies never;
  }
}

/** The error of code or a script that gave no answer. */
export function brokenOff(
  ended: Ended,
  { timeout_ms }: Pick<CodeJob, 'timeout_ms'>,
  what: 'code' | 'script',
): NodeFailure {
  const tooMuchMemory = `The ${what} needs more than ${LIMITS.memory / MEGABYTE} MB of memory`;
  switch (ended.why) {
    case 'timeout':
      return failure(ended, 'timeout', `The ${what} did not end within ${timeout_ms / 1_000} s`);
    case 'aborted':
      return failure(ended, 'cancelled', 'The run was cancelled');
    case 'memory':
      return failure(ended, 'limit', tooMuchMemory);
    case 'logs':
      return failure(ended, 'limit', `The ${what} prints more than ${LIMITS.logs / 1e6} MB`);
    case 'result':
      return failure(ended, 'limit', `The ${what} returns more than ${LIMITS.result / 1e6} MB`);
    case 'exited':
      // The heap of Node ends before the memory of the container does.
      return /heap out of memory/.test(ended.logs)
        ? failure(ended, 'limit', tooMuchMemory)
        : failure(
            ended,
            'thrown',
            `The ${what} ended its process (exit code ${ended.exit_code}) without a result`,
          );
    default:
      return ended.why satisfies never;
  }
}

type Kind = 'thrown' | 'timeout' | 'cancelled' | 'limit' | 'sandbox';

export function failure(
  { logs }: Pick<Ended, 'logs'>,
  kind: Kind,
  message: string,
  more: JsonObject = {},
): NodeFailure {
  const details = { logs: logs.slice(-MAX_LOGS_IN_ERROR), ...more };
  return new NodeFailure({ kind, message: message.slice(0, 4_000), details });
}
