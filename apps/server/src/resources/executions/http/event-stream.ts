import type { FastifyReply } from 'fastify';
import { isTrue } from '../../../execution/admission/run-input.ts';
import type { Services } from '../../../execution/context.ts';
import { type Frame, isListed } from '../../../execution/stream/frames.ts';
import { openEventStream, type SseFrame, type SseWriter } from '../../../http/sse.ts';

/** A frame of a run as the stream writes it; its position is the id that a client resumes from. */
export const sseFrame = ({ sequence, data, droppable }: Frame): SseFrame => ({
  id: String(sequence),
  data: () => JSON.stringify(data),
  droppable,
});

/** The frame as §6.1 writes it: `data: ` and one JSON object, nothing else. */
export const plainFrame = ({ data, droppable }: Frame): SseFrame => ({
  data: () => JSON.stringify(data),
  droppable,
});

/** Undefined for a frame that the reader did not ask for. */
export type WriteFrame = (frame: Frame) => SseFrame | undefined;

/** With `node_progress=true` all frames, otherwise those of §6.1. */
export function writerFor(query: unknown, write: (frame: Frame) => SseFrame): WriteFrame {
  if (isTrue((query as { node_progress?: string }).node_progress)) return write;
  return (frame) => (isListed(frame) ? write(frame) : undefined);
}

/** Opens a stream of a run, which says where the run is found again and ends when the process stops. */
export function openStream(
  services: Services,
  reply: FastifyReply,
  { run_id, headers = {} }: { run_id: string; headers?: Record<string, string> | undefined },
): SseWriter {
  const writer = openEventStream(reply, { ...headers, 'X-Execution-Id': run_id });
  writer.onClose(services.execution.streams.add({ run_id, leave: () => writer.leave() }));
  return writer;
}
