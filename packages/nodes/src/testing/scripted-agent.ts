import type { JsonObject, NodeFailure } from '@millrace/engine';
import type { ProgramJob, RunningProgram } from '../services.ts';

/** One call of the container of a coding agent: what it was sent, and what it says. */
export interface Sitting {
  readonly job: ProgramJob;
  /** The first line. */
  readonly task: JsonObject;
  say(message: JsonObject): void;
  end(failure: NodeFailure): void;
}

/** Stands for the container of a coding agent: asks for the archive, then does what the test says. */
export function scriptedAgent(script: (sitting: Sitting) => void) {
  const tasks: JsonObject[] = [];
  const archives: string[] = [];
  const running = { count: 0 };
  const startProgram = (job: ProgramJob): Promise<RunningProgram> => {
    running.count += 1;
    const say = (message: JsonObject) =>
      job.onOutput(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    return Promise.resolve({
      write: (text) => {
        const line = JSON.parse(text) as JsonObject;
        const task = tasks.at(-1) ?? line;
        if (typeof line['archive'] === 'string') {
          archives.push(line['archive']);
          queueMicrotask(() => script({ job, task, say, end: job.onEnd }));
        } else {
          tasks.push(line);
          const isKept = line['continued'] !== undefined;
          queueMicrotask(() =>
            isKept ? script({ job, task: line, say, end: job.onEnd }) : say({ type: 'needs_archive' }),
          );
        }
        return Promise.resolve();
      },
      close: () => {
        running.count -= 1;
        return Promise.resolve();
      },
    });
  };
  return { tasks, archives, running, startProgram };
}
