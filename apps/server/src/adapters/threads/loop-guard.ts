import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { FRESH_START_EXIT } from '../../ports/coordination/lease.ts';
import type { LoopPulse } from './loop-pulse.ts';

const LOOK_MS = 250;
/** A main thread inside of native code does not hear of its end; the process is killed then. */
const PATIENCE_MS = 1_000;
const STDERR = 2;

/**
 * Ends the process when its main thread does nothing for too long: stuck in a loop it hears no signal either, not even the
 * one that asks it to stop. Runs in any other thread.
 *
 * Time is counted in looks of this thread, so that a process which was paused as a whole, or a computer that slept, is not
 * taken for one that is stuck.
 */
export function guardLoop(pulse: Pick<LoopPulse, 'lastTurn'>, stuck_ms: number): void {
  let seen = pulse.lastTurn();
  let still_ms = 0;
  const timer = setInterval(() => {
    const turn = pulse.lastTurn();
    still_ms = turn === seen ? still_ms + LOOK_MS : 0;
    seen = turn;
    if (still_ms < stuck_ms) return;
    clearInterval(timer);
    endProcess(still_ms);
  }, LOOK_MS);
  timer.unref();
}

/** `process.exit` in a thread ends the thread alone, so the main thread is made to call it. */
function endProcess(still_ms: number): void {
  const message = `The main thread has been stuck for ${still_ms / 1_000} s; the process exits so that it can be restarted.\n`;
  writeSync(STDERR, message);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), PATIENCE_MS);
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: `process.exit(${FRESH_START_EXIT})` });
}
