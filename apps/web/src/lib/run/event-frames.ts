/** One frame of an event stream: its data and, when the server numbers frames, its id. */
export interface Frame<Event> {
  readonly event: Event;
  readonly id: string | undefined;
}

function parseFrame<Event>(lines: readonly string[]): Frame<Event> | undefined {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of lines) {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).trimStart());
    else if (line.startsWith('id:')) id = line.slice('id:'.length).trim();
  }
  if (data.length === 0) return undefined;
  const event: unknown = JSON.parse(data.join('\n'));
  // Beyond `type`, which fields an event has is up to the server (§6.1).
  return typeof event === 'object' && event !== null && 'type' in event
    ? { event: event as Event, id }
    : undefined;
}

/**
 * Splits the bytes of an event stream into frames, however they were cut on the way. Comments are heartbeats and yield
 * nothing; an unfinished last frame is dropped.
 */
export async function* readFrames<Event extends { readonly type: string }>(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Frame<Event>> {
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
        const frame = parseFrame<Event>(lines);
        lines = [];
        if (frame) yield frame;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
