import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmittedFromCache, AdmittedRun } from '../../../execution/admission/admission.ts';
import { limitHeaders } from '../../../execution/admission/rate-limit.ts';
import { runRefusal } from '../../../execution/admission/start/start-admitted.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import { executionCompleteFrame, type Frame, LAST_FRAME } from '../../../execution/stream/frames.ts';
import { isTrue } from '../../../http/bodies/call-input.ts';
import type { SseWriter } from '../../../http/sse.ts';
import type { Services } from '../../../services.ts';
import { mintedSlot, recordMinted } from '../../file-intake/mint.ts';
import { followRun } from './attach.ts';
import type { ReadCall } from './call.ts';
import { createReader, openStream, plainFrame, type Reader, sseFrame } from './event-stream.ts';
import { type CallerChecks, identifyCaller } from './identify.ts';
import { leftSignal } from './left-signal.ts';
import { respondRateLimited } from './respond.ts';
import { endWhenRevoked } from './revocation.ts';

/** Frames carry ids for callers that ask for them (`event_ids=true`), to resume behind the last one they saw. */
function readerFor(request: FastifyRequest): Reader {
  const { event_ids } = request.query as { event_ids?: string };
  return createReader(request.query, isTrue(event_ids) ? sseFrame : plainFrame);
}

/** Whether the client wants the run to end when it leaves. */
export const cancelsOnDisconnect = ({ query }: FastifyRequest): boolean =>
  isTrue((query as { cancel_on_disconnect?: string }).cancel_on_disconnect);

/** Shows frames to one client as they come; what came before the stream was open waits. */
function streamObserver({ write, takes_tokens }: Reader): RunObserver & { attach(writer: SseWriter): void } {
  const early: Frame[] = [];
  let writer: SseWriter | undefined;
  let isClosed = false;
  const send = (to: SseWriter, frame: Frame) => {
    const written = write(frame);
    if (written) to.send(written);
  };
  return {
    takes_tokens,
    frame(frame) {
      if (writer) send(writer, frame);
      else early.push(frame);
    },
    closed() {
      isClosed = true;
      writer?.end();
    },
    attach(opened) {
      writer = opened;
      for (const frame of early.splice(0)) send(opened, frame);
      if (isClosed) opened.end();
    },
  };
}

function streamCached(
  services: Services,
  reply: FastifyReply,
  { admitted, headers }: { admitted: AdmittedFromCache; headers: Record<string, string> },
): void {
  const { answer, run_id, workflow } = admitted;
  const end = {
    run_id,
    workflow_id: workflow.settings.id,
    status: 'cached' as const,
    outputs: answer.outputs,
    execution_time_ms: 0,
  };
  const writer = openStream(services, reply, { run_id, headers });
  writer.send(plainFrame(executionCompleteFrame(end, LAST_FRAME, [])));
  writer.end();
}

interface ShownRun {
  readonly admitted: AdmittedRun;
  readonly headers: Record<string, string>;
}

/** Starts the run and shows its frames to the reader until it ends or is continued elsewhere. */
export async function streamRun(
  services: Services,
  http: { request: FastifyRequest; reply: FastifyReply },
  { admitted, headers, reader }: ShownRun & { reader: Reader },
): Promise<void> {
  const { request, reply } = http;
  const observer = streamObserver(reader);
  const handle = await services.execution.start.observed(admitted, leftSignal(reply), observer);
  const writer = openStream(services, reply, { run_id: handle.run_id, headers });
  observer.attach(writer);
  if (cancelsOnDisconnect(request)) writer.onClose(() => handle.cancel());
  // The observer ends the stream; a run that continues elsewhere just ends it earlier, and the client reconnects.
  await handle.finished.catch((error: unknown) =>
    request.log.warn({ err: runRefusal(error) }, 'stream cut short'),
  );
}

/** A stream with a key that was used before follows the run that the key belongs to. */
async function streamKeyed(
  services: Services,
  http: { request: FastifyRequest; reply: FastifyReply },
  { admitted, headers }: ShownRun,
): Promise<void> {
  const { idempotency } = admitted;
  if (!idempotency) return streamRun(services, http, { admitted, headers, reader: readerFor(http.request) });
  const { run_id, handle } = await services.execution.start.keyed(
    admitted,
    leftSignal(http.reply),
    idempotency,
  );
  // Only for the client that started the run: a reader that came later by the key must not end it.
  const cancels = handle !== undefined && cancelsOnDisconnect(http.request);
  await followRun(services, http, {
    run_id,
    workflow: admitted.workflow,
    headers,
    reader: readerFor(http.request),
    onClose: cancels ? () => handle.cancel() : undefined,
  });
}

/** §4.3: one frame with the slot, and the run that a file begins is followed by its id. */
async function streamSlot(
  services: Services,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { admitted, headers }: { admitted: AdmittedRun; headers: Record<string, string> },
): Promise<void> {
  const { answer, replayed } = await services.execution.start.answer(admitted, leftSignal(reply));
  const { run_id } = answer;
  const slot = mintedSlot(services, answer);
  if (!slot) {
    const followed = { run_id, workflow: admitted.workflow, headers, reader: readerFor(request) };
    return followRun(services, { request, reply }, followed);
  }
  if (!replayed) await recordMinted(services, { admitted, slot, request_id: request.id });
  const writer = openStream(services, reply, { run_id, headers });
  writer.send({ data: JSON.stringify({ type: 'file_upload_required', ...slot }) });
  writer.end();
}

/** `POST /api/workflows/{workflow_id}/execute/stream` (§6.1): the same admission, then frames instead of a body. */
export function createStreamHandler(services: Services, readCall: ReadCall, checks: CallerChecks) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admitted = await services.execution.admit.call(
      await readCall({ request, reply }, { any_verb: true }),
    );
    const headers = admitted.limit ? limitHeaders(admitted.limit) : {};
    reply.headers(headers);
    switch (admitted.kind) {
      case 'rate_limited':
        return respondRateLimited(reply, admitted.workflow.settings.id, { request_id: request.id });
      case 'cached':
        streamCached(services, reply, { admitted, headers });
        return reply;
      case 'run':
        endWhenRevoked(services, reply, () => identifyCaller(checks, request, admitted.workflow));
        if (admitted.slot) await streamSlot(services, { request, reply }, { admitted, headers });
        else await streamKeyed(services, { request, reply }, { admitted, headers });
        return reply;
      default:
        return admitted satisfies never;
    }
  };
}
