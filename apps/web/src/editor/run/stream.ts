import type { StreamEvent } from './run-store.ts';

/** One frame of an event stream: its data and, when the server numbers frames, its id. */
export interface Frame {
  event: StreamEvent;
  id: string | undefined;
}

function parseFrame(lines: readonly string[]): Frame | undefined {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of lines) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    else if (line.startsWith('id:')) id = line.slice(3).trim();
  }
  if (data.length === 0) return undefined;
  const event: unknown = JSON.parse(data.join('\n'));
  return typeof event === 'object' && event !== null && 'type' in event
    ? { event: event as StreamEvent, id }
    : undefined;
}

/** Splits the bytes of an event stream into frames; comments are heartbeats and yield nothing. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  let lines: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split(/\r?\n/);
      rest = parts.pop() ?? '';
      for (const line of parts) {
        if (line !== '') {
          lines.push(line);
          continue;
        }
        const frame = parseFrame(lines);
        lines = [];
        if (frame) yield frame;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
