// The embedded database in a thread of its own. Receives protocol bytes or a command, answers in the same order. Being the
// only other thread there is, it also ends the process when the main thread is stuck.
import { parentPort } from 'node:worker_threads';
import { guardLoop } from '../threads/loop-guard.ts';
import { loopPulse } from '../threads/loop-pulse.ts';
import { type Engine, type EngineOptions, openEngine } from './engine.ts';

export type ThreadCommand = OpenCommand | Uint8Array | 'dump' | 'close' | GuardCommand;

/** Comes first and once; answered when the engine is open. */
export interface OpenCommand {
  readonly open: EngineOptions;
}

/** Watches over the main thread from here; not answered. */
export interface GuardCommand {
  readonly stuck_ms: number;
  readonly pulse_memory: SharedArrayBuffer;
}

const port = parentPort;
if (!port) throw new Error('engine-thread runs as a worker thread only');

const isGuard = (command: ThreadCommand): command is GuardCommand =>
  typeof command === 'object' && 'stuck_ms' in command;
const isOpen = (command: ThreadCommand): command is OpenCommand =>
  typeof command === 'object' && 'open' in command;

let opened: Engine | undefined;

async function execute(command: Exclude<ThreadCommand, GuardCommand>): Promise<void> {
  if (isOpen(command)) {
    opened = await openEngine(command.open);
    port?.postMessage('open');
    return;
  }
  const engine = opened;
  if (!engine) throw new Error('the engine is not open');
  if (command === 'close') {
    await engine.close();
    port?.postMessage('closed');
    port?.close();
    return;
  }
  if (command === 'dump') {
    port?.postMessage(await (await engine.dump()).arrayBuffer());
    return;
  }
  // The answer is a view of the engine's memory, which the next exchange overwrites.
  const answer = (await engine.exchange(command)).slice();
  port?.postMessage(answer, [answer.buffer]);
}

let last = Promise.resolve();
port.on('message', (command: ThreadCommand) => {
  if (isGuard(command)) guardLoop(loopPulse(command.pulse_memory), command.stuck_ms);
  else last = last.then(() => execute(command));
});
