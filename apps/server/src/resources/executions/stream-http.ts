import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../core/context.ts';
import type { Admit, Admitted } from '../../execution/admission/admit.ts';
import { type CallerChecks, identifyCaller } from '../../execution/admission/caller.ts';
import { limitHeaders } from '../../execution/admission/rate-limit.ts';
import { writeCached } from '../../execution/admission/response-cache.ts';
import { isTrue } from '../../execution/admission/run-input.ts';
import type { RunHandle } from '../../execution/run/run-request.ts';
import type { RunObserver } from '../../execution/stream/frame-log.ts';
import { executionCompleteFrame, type Frame, LAST_FRAME } from '../../execution/stream/frames.ts';
import type { SseWriter } from '../../http/sse.ts';
import { followRun } from './attach-http.ts';
import { openStream, plainFrame, sseFrame, type WriteFrame } from './event-stream-http.ts';
import { type AdmittedRun, requireRoom, runRefusal, runRequestOf } from './execute-http.ts';
import { respondRateLimited } from './respond-http.ts';
import { endWhenRevoked } from './revocation-http.ts';

/** Frames carry ids for callers that ask for them (`event_ids=true`), to resume behind the last one they saw. */
function frameWriter(request: FastifyRequest): WriteFrame {
  const { event_ids } = request.query as { event_ids?: string };
  return isTrue(event_ids) ? sseFrame : plainFrame;
}

/** Shows frames to one client as they come; what came before the stream was open waits. */
function streamObserver(write: WriteFrame): RunObserver & { attach(writer: SseWriter): void } {
  const early: Frame[] = [];
  let writer: SseWriter | undefined;
  let isClosed = false;
  return {
    frame(frame) {
      if (writer) writer.send(write(frame));
      else early.push(frame);
    },
    closed() {
      isClosed = true;
      writer?.end();
    },
    attach(opened) {
      writer = opened;
      for (const frame of early.splice(0)) opened.send(write(frame));
      if (isClosed) opened.end();
    },
  };
}

function streamCached(
  services: Services,
  reply: FastifyReply,
  { admitted, headers }: { admitted: Extract<Admitted, { kind: 'cached' }>; headers: Record<string, string> },
): void {
  const { answer, run_id, workflow } = admitted;
  const end = {
    run_id,
    workflow_id: workflow.settings.id,
    status: 'cached',
    outputs: answer.outputs,
    execution_time_ms: 0,
  };
  const writer = openStream(services, reply, { run_id, headers });
  writer.send(plainFrame(executionCompleteFrame(end, LAST_FRAME, [])));
  writer.end();
}

/** §4.1 rule 7 holds for streams too: what they compute is kept for the next caller. */
function keepOutcome(services: Services, admitted: AdmittedRun, handle: RunHandle): void {
  const { cache_key: key, workflow } = admitted;
  handle.answered
    .then(
      ({ status, outputs, shape }) => {
        if (key === undefined || status !== 'success') return undefined;
        const ttl_seconds = workflow.settings.cache_ttl_seconds;
        const answer = { outputs, shape, graph_hash: workflow.version.graph_hash };
        return writeCached(services.shared_store, { key, ttl_seconds, answer });
      },
      () => undefined,
    )
    .catch((error: unknown) => services.log.warn({ err: error }, 'an answer could not be cached'));
}

async function streamRun(
  services: Services,
  http: { request: FastifyRequest; reply: FastifyReply },
  { admitted, headers }: { admitted: AdmittedRun; headers: Record<string, string> },
): Promise<void> {
  const { request, reply } = http;
  await requireRoom(services, admitted.trigger_source);
  const observer = streamObserver(frameWriter(request));
  const started = services.execution.start(runRequestOf(admitted, observer));
  const handle = started instanceof Promise ? await started : started;
  const writer = openStream(services, reply, { run_id: handle.run_id, headers });
  observer.attach(writer);
  const { cancel_on_disconnect } = request.query as { cancel_on_disconnect?: string };
  if (isTrue(cancel_on_disconnect)) writer.onClose(() => handle.cancel());
  keepOutcome(services, admitted, handle);
  // The observer ends the stream; a run that goes on elsewhere just ends it earlier, and the client comes back.
  await handle.finished.catch((error: unknown) =>
    request.log.warn({ err: runRefusal(error) }, 'stream cut short'),
  );
}

/** A stream with a key that was used before follows the run that the key belongs to. */
async function streamKeyed(
  services: Services,
  http: { request: FastifyRequest; reply: FastifyReply },
  { admitted, headers }: { admitted: AdmittedRun; headers: Record<string, string> },
): Promise<void> {
  const { idempotency } = admitted;
  if (!idempotency) return streamRun(services, http, { admitted, headers });
  await requireRoom(services, admitted.trigger_source);
  const { run_id, handle } = await services.execution.keyed
    .claim(runRequestOf(admitted), idempotency)
    .catch((error: unknown) => {
      throw runRefusal(error);
    });
  if (handle) keepOutcome(services, admitted, handle);
  await followRun(services, http, {
    run_id,
    workflow: admitted.workflow,
    headers,
    write: frameWriter(http.request),
  });
}

/** `POST /api/workflows/{workflow_id}/execute/stream` (§6.1): the same admission, then frames instead of a body. */
export function createStreamHandler(services: Services, admit: Admit, checks: CallerChecks) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { workflow_id } = request.params as { workflow_id: string };
    const admitted = await admit({ request, workflow_id: workflow_id.toLowerCase(), any_verb: true });
    const headers = admitted.limit ? limitHeaders(admitted.limit) : {};
    reply.headers(headers);
    switch (admitted.kind) {
      case 'rate_limited':
        return respondRateLimited(reply, admitted.workflow.settings.id, request.id);
      case 'cached':
        streamCached(services, reply, { admitted, headers });
        return reply;
      case 'run':
        endWhenRevoked(services, reply, () => identifyCaller(checks, request, admitted.workflow));
        await streamKeyed(services, { request, reply }, { admitted, headers });
        return reply;
      default:
        return admitted satisfies never;
    }
  };
}
