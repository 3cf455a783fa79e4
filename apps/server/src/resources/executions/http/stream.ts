import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmittedFromCache, AdmittedRun } from '../../../execution/admission/admission.ts';
import type { CalledRun } from '../../../execution/admission/call.ts';
import { runRefusal } from '../../../execution/admission/run-refusal.ts';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import { executionCompleteFrame, type Frame, LAST_FRAME } from '../../../execution/stream/frames.ts';
import { isTrue } from '../../../http/bodies/call-input.ts';
import type { HttpExchange } from '../../../http/bodies/read-body.ts';
import type { SseWriter } from '../../../http/sse.ts';
import type { Services } from '../../../services.ts';
import { mintSlot } from '../../file-intake/mint.ts';
import { followRun } from './attach.ts';
import type { ReadCall } from './call.ts';
import { createReader, openStream, plainFrame, type Reader, sseFrame } from './event-stream.ts';
import { type CallerChecks, identifyCaller } from './identify.ts';
import { leftSignal } from './left-signal.ts';
import { respondOverLimit } from './respond.ts';
import { endWhenRevoked } from './revocation.ts';

/** Frames carry ids for callers that ask for them (`event_ids=true`), to resume behind the last one they saw. */
function readerFor(request: FastifyRequest): Reader {
  const { event_ids } = request.query as { event_ids?: string };
  return createReader(request.query, isTrue(event_ids) ? sseFrame : plainFrame);
}

/** Whether the client wants the run to end when it leaves. */
export const cancelsOnDisconnect = ({ query }: FastifyRequest): boolean =>
  isTrue((query as { cancel_on_disconnect?: string }).cancel_on_disconnect);

interface StreamObserver extends RunObserver {
  attach(writer: SseWriter): void;
}

/** Shows frames to one client as they come; what came before the stream was open waits. */
export function createStreamObserver({ write, takes_tokens }: Reader): StreamObserver {
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

function streamCached(services: Services, reply: FastifyReply, called: AdmittedFromCache): void {
  const { answer, run_id, workflow } = called;
  const end = {
    run_id,
    workflow_id: workflow.settings.id,
    status: 'cached' as const,
    outputs: answer.outputs,
    execution_time_ms: 0,
  };
  const writer = openStream(services, reply, { run_id });
  writer.send(plainFrame(executionCompleteFrame(end, LAST_FRAME, [])));
  writer.end();
}

interface ObservedRun {
  readonly called: CalledRun;
  readonly observer: StreamObserver;
}

/** Shows the frames of a run that was started for the reader, until it ends or is continued elsewhere. */
export async function streamRun(
  services: Services,
  { request, reply }: HttpExchange,
  { called: { run_id, handle }, observer }: ObservedRun,
): Promise<void> {
  const writer = openStream(services, reply, { run_id });
  observer.attach(writer);
  if (cancelsOnDisconnect(request)) writer.onClose(() => handle?.cancel());
  // The observer ends the stream; a run that continues elsewhere just ends it earlier, and the client reconnects.
  await handle?.finished.catch((error: unknown) =>
    request.log.warn({ err: runRefusal(error) }, 'stream cut short'),
  );
}

/** A stream with a key that was used before follows the run that the key belongs to. */
async function streamKeyed(services: Services, http: HttpExchange, called: CalledRun): Promise<void> {
  const { run_id, workflow, handle } = called;
  // Only for the client that started the run: a reader that came later by the key must not end it.
  const cancels = handle !== undefined && cancelsOnDisconnect(http.request);
  await followRun(services, http, {
    run_id,
    workflow,
    reader: readerFor(http.request),
    onClose: cancels ? () => handle.cancel() : undefined,
  });
}

/** §4.3: one frame with the slot, and the run that a file begins is followed by its id. */
async function streamSlot(services: Services, http: HttpExchange, called: CalledRun): Promise<void> {
  const { request, reply } = http;
  const answer = await called.answer();
  const slot = await mintSlot(services, called, { answer, request_id: request.id });
  const { run_id, workflow } = called;
  if (!slot) return followRun(services, http, { run_id, workflow, reader: readerFor(request) });
  const writer = openStream(services, reply, { run_id });
  writer.send({ data: JSON.stringify({ type: 'file_upload_required', ...slot }) });
  writer.end();
}

/** `POST /api/workflows/{workflow_id}/execute/stream` (§6.1): the same admission, then frames instead of a body. */
export function createStreamHandler(services: Services, readCall: ReadCall, checks: CallerChecks) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const http = { request, reply };
    const call = await readCall(http, { any_verb: true });
    // The run of a key may be that of an earlier call, which is followed like any other.
    const isKeyed = call.client.idempotency_key !== undefined;
    const observer = isKeyed ? undefined : createStreamObserver(readerFor(request));
    const prepare = (admitted: AdmittedRun) => {
      endWhenRevoked(services, reply, () => identifyCaller(checks, request, admitted.workflow));
      return admitted;
    };
    const called = await services.execution.call(call, { left: leftSignal(reply), observer, prepare });
    if (respondOverLimit(http, called)) return reply;
    if (called.kind === 'cached') streamCached(services, reply, called);
    else if (called.slot) await streamSlot(services, http, called);
    else if (observer) await streamRun(services, http, { called, observer });
    else await streamKeyed(services, http, called);
    return reply;
  };
}
