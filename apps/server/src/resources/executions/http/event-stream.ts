import type { FastifyReply } from 'fastify';
import { type Frame, isListed, isToken, UNNUMBERED } from '../../../execution/stream/frames.ts';
import { isTrue } from '../../../http/bodies/call-input.ts';
import { openEventStream, type SseFrame, type SseWriter } from '../../../http/sse.ts';
import type { Services } from '../../../services.ts';

/** A frame of a run as the stream writes it; its position is the id that a client resumes from. */
export const sseFrame = ({ sequence, data, droppable }: Frame): SseFrame => ({
  ...(sequence === UNNUMBERED ? {} : { id: String(sequence) }),
  data: () => JSON.stringify(data),
  droppable,
});

/** The frame as §6.1 writes it: `data: ` and one JSON object, nothing else. */
export const plainFrame = ({ data, droppable }: Frame): SseFrame => ({
  data: () => JSON.stringify(data),
  droppable,
});

/** The frames of a run that a reader is shown, and how they are written. */
export interface Reader {
  readonly takes_tokens: boolean;
  /** Undefined for a frame that the reader did not ask for. */
  readonly write: (frame: Frame) => SseFrame | undefined;
}

/** Frames of §6.1; with `node_progress=true` also what nodes do meanwhile, with `tokens=true` also what models write. */
export function createReader(query: unknown, write: (frame: Frame) => SseFrame): Reader {
  const { node_progress, tokens } = query as { node_progress?: string; tokens?: string };
  const takes_tokens = isTrue(tokens);
  const takes_progress = isTrue(node_progress);
  const isAsked = (frame: Frame) => isListed(frame) || (isToken(frame) ? takes_tokens : takes_progress);
  return { takes_tokens, write: (frame) => (isAsked(frame) ? write(frame) : undefined) };
}

/** Opens a stream of a run, which says where the run is found again and ends when the process stops. */
export function openStream(
  services: Services,
  reply: FastifyReply,
  { run_id }: { run_id: string },
): SseWriter {
  const writer = openEventStream(reply, { 'X-Execution-Id': run_id });
  writer.onClose(services.execution.streams.add({ run_id, leave: () => writer.leave() }));
  return writer;
}
