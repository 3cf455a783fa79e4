import { randomBytes } from 'node:crypto';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { CodeJob, CodeOutcome } from '@millrace/nodes/runtime';
import { MEGABYTE } from '../../core/units.ts';
import type { Ended } from './containers.ts';
import { LIMITS } from './limits.ts';

/** What a program of the sandbox answers. */
type Answer =
  | { readonly problem?: undefined; readonly result: Json; readonly install?: CodeOutcome['install'] }
  | { readonly problem: 'error'; readonly message: string; readonly line: number | null }
  | { readonly problem: 'not_json'; readonly message: string }
  | { readonly problem: 'no_entry' | 'no_packages' };

/** Marks the answer, in case something else has written to the same channel. */
export const newMarker = (): string => `${randomBytes(16).toString('hex')}:`;

/** The line that a program reads. */
export function inputOf(job: CodeJob, marker: string, more: JsonObject): string {
  const { source, entry, values, passes } = job;
  return JSON.stringify({ marker, source, entry, values, passes, ...more });
}

/** Guarantee: what follows the marker was written by a program of this folder, or by code that can only spoil its own result. */
export function answerIn<T>(text: string, marker: string): T | undefined {
  const at = text.lastIndexOf(marker);
  if (at < 0) return undefined;
  try {
    return JSON.parse(text.slice(at + marker.length)) as T;
  } catch {
    return undefined;
  }
}

const NO_INSTALL = { ok: true, tool: 'none', log: '' };
/** Of what was printed, in the error of the node. */
const MAX_LOGS_IN_ERROR = 10_000;

/** Undefined when the packages of the job are not installed. Throws `NodeFailure`. */
export function outcomeOf(job: CodeJob, ended: Ended, marker: string): CodeOutcome | undefined {
  const answer = ended.why === 'exited' ? answerIn<Answer>(ended.result, marker) : undefined;
  if (!answer) throw brokenOff(job, ended);
  switch (answer.problem) {
    case undefined: {
      const { ok, tool, log } = answer.install ?? NO_INSTALL;
      return { result: answer.result, logs: ended.logs, install: { ok, tool, log } };
    }
    case 'no_packages':
      return undefined;
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

function brokenOff(job: CodeJob, ended: Ended): NodeFailure {
  switch (ended.why) {
    case 'timeout':
      return failure(ended, 'timeout', `The code did not end within ${job.timeout_ms / 1_000} s`);
    case 'aborted':
      return failure(ended, 'cancelled', 'The run was cancelled');
    case 'memory':
      return failure(ended, 'limit', `The code needs more than ${LIMITS.memory / MEGABYTE} MB of memory`);
    case 'logs':
      return failure(ended, 'limit', `The code prints more than ${LIMITS.logs / 1e6} MB`);
    case 'result':
      return failure(ended, 'limit', `The code returns more than ${LIMITS.result / 1e6} MB`);
    case 'exited':
      // The heap of Node ends before the memory of the container does.
      return /heap out of memory/.test(ended.logs)
        ? failure(ended, 'limit', `The code needs more than ${LIMITS.memory / MEGABYTE} MB of memory`)
        : failure(
            ended,
            'thrown',
            `The code ended its process (exit code ${ended.exit_code}) without a result`,
          );
    default:
      return ended.why satisfies never;
  }
}

type Kind = 'thrown' | 'timeout' | 'cancelled' | 'limit';

function failure({ logs }: Ended, kind: Kind, message: string, more: JsonObject = {}): NodeFailure {
  const details = { logs: logs.slice(-MAX_LOGS_IN_ERROR), ...more };
  return new NodeFailure({ kind, message: message.slice(0, 4_000), details });
}
