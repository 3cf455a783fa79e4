import type { HistoryEntry } from '@millrace/contracts';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../../core/app-error.ts';
import { sleep } from '../../../execution/run/sleep.ts';
import type { Context, Services } from '../../../services.ts';
import { readEntry, readMark } from '../history/service.ts';
import { openStream } from './event-stream.ts';

const LOOK_EVERY_MS = 1_000;
const OPEN_STATUSES = new Set(['running', 'queued', 'pending']);

interface Wanted {
  readonly entry_id: string;
  readonly workflow_id: string;
}

/**
 * Shows a history entry again on each change until its run has ended. Unlike `waitForRun`, each look is one of the reader,
 * whose rights may be taken back, at all that the entry shows, through every pause.
 */
export async function streamEntry(
  ctx: Context,
  services: Services,
  { reply, wanted }: { reply: FastifyReply; wanted: Wanted },
): Promise<FastifyReply> {
  // Before the stream is open a refusal is still an ordinary answer.
  let entry: HistoryEntry = await readEntry(ctx, services, wanted);
  const writer = openStream(services, reply, { run_id: entry.id });
  const gone = new AbortController();
  writer.onClose(() => gone.abort());
  let shown = '';
  let mark = '';
  while (writer.is_open) {
    const text = JSON.stringify(entry);
    if (text !== shown) writer.send({ data: `{"type":"history_update","entry":${text}}` });
    shown = text;
    if (!OPEN_STATUSES.has(entry.status)) {
      writer.send({ data: '{"type":"done"}' });
      break;
    }
    if ((await sleep(LOOK_EVERY_MS, gone.signal)) === 'cancelled') break;
    try {
      const before = mark;
      mark = await readMark(ctx, services, wanted);
      if (mark !== before) entry = await readEntry(ctx, services, wanted);
    } catch (error) {
      const message = error instanceof AppError ? error.message : 'The run could not be read';
      writer.send({ data: JSON.stringify({ type: 'error', message }) });
      break;
    }
  }
  writer.end();
  return reply;
}
