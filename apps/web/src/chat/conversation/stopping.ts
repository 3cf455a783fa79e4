import { cancelRun } from '../portal/requests.ts';
import { isUnderWay, lastTurn, type Watcher } from './follow-run.ts';
import { isWorking } from './message.ts';
import type { Thread } from './thread.ts';

const STOP_TRIES = 5;
const STOP_PAUSE_MS = 300;

export interface Stopping {
  /**
   * §3.4. Stops the run of the last answer, also one that the server has not named yet, and also when another conversation is
   * opened meanwhile. Resolves to false when the server could not be reached and the answer is still shown.
   */
  stop(): Promise<boolean>;
}

/** The run of an answer in one piece, which the conversation has before the answer is there. */
async function runUnderWay(thread: Thread, { signal }: Watcher): Promise<string | undefined> {
  let { id } = thread;
  for (let tries = 0; tries < STOP_TRIES; tries += 1) {
    // The message may be on its way to the server.
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, STOP_PAUSE_MS));
    if (!signal.aborted) {
      if (!isWorking(thread.last)) return undefined;
      id = thread.id;
    } else if (id === undefined || id === thread.id) {
      // The conversation was left before it was stored, or its run is that of a later answer now.
      return undefined;
    }
    if (id === undefined) continue;
    const turn = await lastTurn(thread.door, id);
    if (turn && isUnderWay(turn)) return turn.execution_id;
  }
  return undefined;
}

export function createStopping(thread: Thread, streams: boolean): Stopping {
  return {
    async stop() {
      const working = thread.last;
      if (!isWorking(working)) return true;
      // After a wait another conversation may be shown.
      const watcher = thread.watch(working.id);
      const find = () => (streams ? thread.awaitRun(working.id) : runUnderWay(thread, watcher));
      try {
        const execution_id = working.execution_id ?? (await find());
        if (execution_id !== undefined) await cancelRun(thread.door, execution_id);
        // An answer in one piece says nothing of its end; nothing was started when there is no run.
        if (!streams && !watcher.signal.aborted && isWorking(thread.last)) {
          watcher.change({ state: 'stopped', ...(execution_id === undefined ? {} : { execution_id }) });
          thread.leave();
        }
        return true;
      } catch {
        return watcher.signal.aborted;
      }
    },
  };
}
