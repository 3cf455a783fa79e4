import type { JsonObject, NodeFailure } from '@millrace/engine';
import type { ProgramJob, RunningProgram } from '../../services.ts';

/** One call of the container of a coding agent: what it was sent, and what it says. */
export interface Sitting {
  readonly job: ProgramJob;
  /** The first line. */
  readonly task: JsonObject;
  /** Resolves when the agent is asked to stop. */
  readonly stopped: Promise<void>;
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
    let task: JsonObject | undefined;
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const say = (message: JsonObject) =>
      job.onOutput(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    const begin = (given: JsonObject) =>
      queueMicrotask(() => script({ job, task: given, stopped, say, end: job.onEnd }));
    return Promise.resolve({
      write: (text) => {
        const line = JSON.parse(text) as JsonObject;
        if (line['stop'] === true) stop();
        else if (task) {
          archives.push(String(line['archive']));
          begin(task);
        } else {
          task = line;
          tasks.push(line);
          if (line['continued'] === undefined) queueMicrotask(() => say({ type: 'needs_archive' }));
          else begin(line);
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
