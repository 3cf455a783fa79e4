import { Worker } from 'node:worker_threads';
import { messageOfError, type ParseTask, type ProcessMessage, type TaskMessage } from './messages.ts';
import type { ParserTable } from './parsers.ts';
import { isLarge, Joiner, splitIntoParts } from './parts.ts';

/** A process stuck in a document does not notice that its parent is gone, so a thread checks for it. */
const WATCH = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1_000);`;

/** Turns this process into a parser process, which handles one document at a time. */
export function serveParsers(table: ParserTable): void {
  if (!process.send) throw new Error('parsers are served by a child process only');
  const send = (message: ProcessMessage): void => void process.send?.(message);
  let next = (): void => undefined;
  const answer = async ({ name, args }: ParseTask): Promise<void> => {
    try {
      const parse = Object.hasOwn(table, name) ? table[name] : undefined;
      if (!parse) throw new Error(`there is no parser "${name}"`);
      const result: unknown = await parse(...(args as never[]));
      if (!isLarge(result)) return send({ kind: 'done', result });
      for (const part of splitIntoParts(result)) {
        const isTaken = new Promise<void>((resolve) => (next = resolve));
        send({ kind: 'part', part });
        await isTaken;
      }
      send({ kind: 'done', is_in_parts: true });
    } catch (error) {
      send(messageOfError(error));
    }
  };
  const args = new Joiner();
  process.on('message', (message: TaskMessage) => {
    if (message.kind === 'part') return args.add(message.part);
    if (message.kind === 'next') return next();
    // Guarantee of the pool: only arguments arrive in parts.
    void answer({ name: message.name, args: message.args ?? (args.take() as unknown[]) });
  });
  process.on('disconnect', () => process.exit());
  new Worker(WATCH, { eval: true, execArgv: [] }).unref();
  send({ kind: 'ready' });
}
