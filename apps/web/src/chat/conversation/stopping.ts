import { cancelRun } from '../portal/requests.ts';
import { isUnderWay, lastTurn } from './follow-run.ts';
import { isWorking } from './message.ts';
import type { Thread } from './thread.ts';

const STOP_TRIES = 5;
const STOP_PAUSE_MS = 300;

export interface Stopping {
  /** §3.4. Resolves to false when the server could not be reached. */
  stop(): Promise<boolean>;
  /** Stops for real once the run is known; nothing is left to stop when it never will be. Call it after every change. */
  stopLate(): void;
}

/** The run of an answer in one piece, which the conversation has before the answer is there. */
async function runUnderWay(thread: Thread): Promise<string | undefined> {
  for (let tries = 0; tries < STOP_TRIES && isWorking(thread.last); tries += 1) {
    // The message may be on its way to the server.
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, STOP_PAUSE_MS));
    if (thread.id === undefined) continue;
    const turn = await lastTurn(thread.door, thread.id);
    if (turn && isUnderWay(turn)) return turn.execution_id;
  }
  return undefined;
}

/** Stops the run of the last answer, also one that the server has not named yet. */
export function createStopping(thread: Thread, streams: boolean): Stopping {
  /** Stop was asked for before the server had named the run of this answer; `tell` takes how that went. */
  let early: { readonly answer_id: string; readonly tell: (isTold: boolean) => void } | undefined;

  function stopLate(): void {
    const working = thread.last;
    const isSame = working?.id === early?.answer_id;
    if (!early || (isSame && isWorking(working) && working.execution_id === undefined)) return;
    const { tell } = early;
    early = undefined;
    // The run that is shown now, after another conversation was opened, is not the one that was to be stopped.
    if (isSame) void stop().then(tell);
    else tell(true);
  }

  async function stop(): Promise<boolean> {
    const working = thread.last;
    if (!isWorking(working)) return true;
    const { execution_id, id } = working;
    if (execution_id === undefined && streams) {
      return new Promise((resolve) => {
        early = { answer_id: id, tell: resolve };
      });
    }
    try {
      const run_id = execution_id ?? (await runUnderWay(thread));
      if (run_id !== undefined) await cancelRun(thread.door, run_id);
      // An answer in one piece says nothing of its end; nothing was started when there is no run.
      if (!streams || run_id === undefined) {
        thread
          .watch(id)
          .change({ state: 'stopped', ...(run_id === undefined ? {} : { execution_id: run_id }) });
        thread.leave();
      }
      return true;
    } catch {
      return false;
    }
  }

  return { stop, stopLate };
}
