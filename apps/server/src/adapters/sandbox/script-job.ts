import type { JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { ScriptJob, ScriptOutcome } from '@millrace/nodes/runtime';
import type { ServerParsers } from '../../ports/parsers.ts';
import type { Ended } from './containers/containers.ts';
import { WORKSPACE } from './containers/hardening.ts';
import { LIMITS } from './containers/limits.ts';
import { decodeFiles, FILES_ANSWER_SIZE, filesInput, linesAfter, MOST_FILES } from './files.ts';
import { answerIn, brokenOff, failure } from './job.ts';

/** The answer of the program for scripts. */
type Answer =
  | {
      readonly problem?: undefined;
      /** Minus the number of the signal that has ended it. */
      readonly exit_code: number;
      readonly printed: string;
      readonly files: readonly string[];
    }
  | { readonly problem: 'no_room'; readonly message: string }
  | { readonly problem: 'no_packages' | 'prints' | 'files' | 'workspace' };

const ERRORS_SHOWN = 3_000;
const KILLED = -9;

/** Size of the output of a script, escaped, and of its files. */
export const scriptAnswerSize = FILES_ANSWER_SIZE + 2 * LIMITS.logs;

/** The line that the program reads. */
export function scriptInput({ files, script, input }: ScriptJob, marker: string, more: JsonObject): string {
  return JSON.stringify({
    marker,
    script,
    input,
    ...filesInput(files),
    max_printed: LIMITS.logs,
    max_workspace: LIMITS.workspace,
    workspace: WORKSPACE,
    ...more,
  });
}

/** Undefined when the packages of the job are not installed. Throws `NodeFailure`. */
export async function scriptOutcome(
  parsers: ServerParsers,
  job: ScriptJob,
  { ended, marker }: { readonly ended: Ended; readonly marker: string },
): Promise<ScriptOutcome | undefined> {
  const lines = ended.why === 'exited' ? linesAfter(marker, ended.result) : undefined;
  const answer = lines && (await answerIn<Answer>({ parsers, signal: job.signal }, lines.answer, marker));
  if (!answer) throw brokenOff(ended, job, 'script');
  switch (answer.problem) {
    case undefined: {
      if (answer.exit_code !== 0) throw endedBadly(answer.exit_code, ended);
      const files = decodeFiles(answer.files, lines.contents);
      if (!files) throw brokenOff(ended, job, 'script');
      return { printed: answer.printed, files };
    }
    case 'no_packages':
      return undefined;
    case 'no_room':
      throw failure(ended, 'limit', `The files of the skill cannot be written: ${answer.message}`);
    case 'prints':
      throw failure(ended, 'limit', `The script prints more than ${LIMITS.logs / 1e6} MB`);
    case 'files':
      throw failure(ended, 'limit', `The script left more than ${MOST_FILES} in _OUTPUT_DIR`);
    case 'workspace': {
      const most = `${LIMITS.workspace / 1e6} MB`;
      throw failure(
        ended,
        'limit',
        `The scripts of this run left more than ${most} in _WORKSPACE_DIR; it was emptied`,
      );
    }
    default:
      return answer satisfies never;
  }
}

function endedBadly(exit_code: number, ended: Ended): NodeFailure {
  if (exit_code === KILLED) {
    const message = `The script was ended; it probably needs more than ${LIMITS.memory / MEGABYTE} MB of memory`;
    return failure(ended, 'limit', message);
  }
  const errors = ended.logs.trim().slice(-ERRORS_SHOWN);
  const how = exit_code < 0 ? `by signal ${-exit_code}` : `with exit code ${exit_code}`;
  return failure(ended, 'thrown', `The script ended ${how}${errors === '' ? '' : `:\n${errors}`}`);
}
