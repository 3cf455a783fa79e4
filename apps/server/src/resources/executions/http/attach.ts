import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import type { StoredRun } from '../../../execution/model/run.ts';
import type { StampedRecord } from '../../../execution/model/step.ts';
import { sleep } from '../../../execution/run/sleep.ts';
import { storedAnswer } from '../../../execution/run/stored-answer.ts';
import { waitForRun } from '../../../execution/run/wait-for-run.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import {
  executionCompleteFrame,
  type Frame,
  LAST_FRAME,
  pastFrames,
  UNNUMBERED,
} from '../../../execution/stream/frames.ts';
import type { PublishedWorkflow } from '../../../execution/workflows/published-workflow.ts';
import type { SseWriter } from '../../../http/sse.ts';
import type { Services } from '../../../services.ts';
import { createReader, openStream, type Reader, sseFrame } from './event-stream.ts';
import { type CallerChecks, identifyCaller } from './identify.ts';
import { endWhenRevoked } from './revocation.ts';

/** Between two reads of the whole run, which grows while it is followed. */
const LEAST_PAUSE_MS = 100;

interface Followed {
  readonly run_id: string;
  readonly workflow: PublishedWorkflow;
  /** Called when the reader is gone. */
  readonly onClose?: (() => void) | undefined;
  readonly reader: Reader;
}

/** Sends each frame once, in order, even if the sources repeat some. */
class Cursor {
  #last: number;
  readonly #writer: SseWriter;
  readonly #reader: Reader;

  constructor(writer: SseWriter, last: number, reader: Reader) {
    this.#reader = reader;
    this.#writer = writer;
    this.#last = last;
  }

  send(frame: Frame): void {
    if (frame.sequence !== UNNUMBERED) {
      if (frame.sequence <= this.#last) return;
      this.#last = frame.sequence;
    }
    const written = this.#reader.write(frame);
    if (written) this.#writer.send(written);
  }
}

/** Id of the last frame that the client saw; 0 for a client that comes for the first time. */
function lastEventId(request: FastifyRequest): number {
  const header = request.headers['last-event-id'];
  const { last_event_id } = request.query as { last_event_id?: string };
  const text = typeof header === 'string' ? header : (last_event_id ?? '');
  return /^\d{1,10}$/.test(text) ? Number(text) : 0;
}

/** §6.1 `execution_complete` of a run that is over, or that is paused until a decision. */
function endFrame(stored: StoredRun, last: number): Frame | undefined {
  const answer = storedAnswer(stored);
  return answer && executionCompleteFrame(answer, stored.final ? LAST_FRAME : last + 1, stored.records);
}

function storedFrames(stored: StoredRun, { settings }: PublishedWorkflow): Frame[] {
  const { run_id, started_at_ms } = stored.begin;
  const records = stored.records as readonly StampedRecord[];
  const frames = pastFrames({ run_id, started_at_ms, records }, settings.sse_node_config);
  const end = endFrame(stored, frames.at(-1)?.sequence ?? 0);
  return end ? [...frames, end] : frames;
}

/** A run that another process works on: its journaled facts, as they come. */
async function followStored(
  services: Services,
  followed: Followed,
  to: { cursor: Cursor; writer: SseWriter },
) {
  const gone = new AbortController();
  to.writer.onClose(() => gone.abort());
  // The start of a run is shown before its first fact.
  for (let known = -1; to.writer.is_open; ) {
    const news = { until: 'moved', known, left: gone.signal } as const;
    const awaited = await waitForRun(services.execution, followed.run_id, news);
    if (awaited.kind === 'here') return followLive(services, followed, to);
    if (awaited.kind !== 'stored') break;
    const { run } = awaited;
    for (const frame of storedFrames(run, followed.workflow)) to.cursor.send(frame);
    if (run.final || run.state === 'waiting') break;
    known = run.records.length;
    await sleep(LEAST_PAUSE_MS, gone.signal);
  }
  to.writer.end();
}

/** A run of this process: everything so far, then everything that comes. */
function followLive(
  services: Services,
  followed: Followed,
  { cursor, writer }: { cursor: Cursor; writer: SseWriter },
): void {
  const executor = services.execution.live.get(followed.run_id);
  if (!executor) {
    followStored(services, followed, { cursor, writer }).catch(() => writer.end());
    return;
  }
  const observer: RunObserver = {
    frame: (frame) => cursor.send(frame),
    takes_tokens: followed.reader.takes_tokens,
    closed(ended) {
      if (ended) writer.end();
      // This process gave the run up; another one continues it.
      else followStored(services, followed, { cursor, writer }).catch(() => writer.end());
    },
  };
  writer.onClose(executor.observe(observer));
}

/** Streams a run from the frame behind `Last-Event-ID` on, wherever it runs and also when it has ended. */
export async function followRun(
  services: Services,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  followed: Followed,
): Promise<void> {
  const last = lastEventId(request);
  // A reader that has seen the end comes back by habit; this is how it learns to stay away.
  if (last >= LAST_FRAME) return void reply.code(204).send();
  const writer = openStream(services, reply, { run_id: followed.run_id });
  if (followed.onClose) writer.onClose(followed.onClose);
  const to = { writer, cursor: new Cursor(writer, last, followed.reader) };
  if (services.execution.live.get(followed.run_id)) return followLive(services, followed, to);
  await followStored(services, followed, to);
}

/** `GET /api/workflows/{id}/executions/{execution_id}/stream`: for callers that may call the workflow. */
export function createAttachHandler(services: Services, checks: CallerChecks) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { id, execution_id } = request.params as { id: string; execution_id: string };
    const { workflows, journal, live } = services.execution;
    await catchUp(services);
    const workflow = await workflows.published(id.toLowerCase());
    if (!workflow) throw notFound('Workflow');
    await identifyCaller(checks, request, workflow);
    const run_id = execution_id.toLowerCase();
    const workflow_id = live.get(run_id)?.workflow_id ?? (await journal.load(run_id))?.begin.workflow_id;
    if (workflow_id !== workflow.settings.id) throw notFound('Execution');
    endWhenRevoked(services, reply, () => identifyCaller(checks, request, workflow));
    const reader = createReader(request.query, sseFrame);
    await followRun(services, { request, reply }, { run_id, workflow, reader });
    return reply;
  };
}
