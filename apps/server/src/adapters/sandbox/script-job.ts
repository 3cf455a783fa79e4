import type { JsonObject, NodeFailure } from '@millrace/engine';
import type { ScriptJob, ScriptOutcome } from '@millrace/nodes/runtime';
import { MEGABYTE } from '../../core/units.ts';
import type { ServerParsers } from '../../ports/parsers.ts';
import type { Ended } from './containers.ts';
import { WORKSPACE } from './hardening.ts';
import { answerIn, brokenOff, failure } from './job.ts';
import { LIMITS } from './limits.ts';

/** What the program for scripts answers. */
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

/** What a script prints and its files in base64, with room for their names. */
export const scriptAnswerSize = Math.ceil((LIMITS.files_size * 4) / 3) + 3 * LIMITS.logs;

/** The line that the program reads. */
export function scriptInput({ files, script, input }: ScriptJob, marker: string, more: JsonObject): string {
  return JSON.stringify({
    marker,
    script,
    input,
    files: [...files].map(([path, bytes]) => ({ path, content: Buffer.from(bytes).toString('base64') })),
    max_printed: LIMITS.logs,
    max_files: LIMITS.files,
    max_size: LIMITS.files_size,
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
  const at = ended.why === 'exited' ? ended.result.lastIndexOf(marker) : -1;
  if (at < 0) throw brokenOff(ended, job, 'script');
  const [first = '', ...contents] = ended.result.slice(at).split('\n');
  const answer = await answerIn<Answer>({ parsers, signal: job.signal }, first, marker);
  if (!answer) throw brokenOff(ended, job, 'script');
  switch (answer.problem) {
    case undefined: {
      if (answer.exit_code !== 0) throw endedBadly(answer.exit_code, ended);
      const bytes = answer.files.map((_, place) => Buffer.from(contents[place] ?? '', 'base64'));
      const files = new Map(answer.files.map((path, place) => [path, bytes[place] ?? Buffer.alloc(0)]));
      return { printed: answer.printed, files };
    }
    case 'no_packages':
      return undefined;
    case 'no_room':
      throw failure(ended, 'limit', `The files of the skill cannot be written: ${answer.message}`);
    case 'prints':
      throw failure(ended, 'limit', `The script prints more than ${LIMITS.logs / 1e6} MB`);
    case 'files': {
      const most = `${LIMITS.files} files or ${LIMITS.files_size / 1e6} MB`;
      throw failure(ended, 'limit', `The script left more than ${most} in _OUTPUT_DIR`);
    }
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
