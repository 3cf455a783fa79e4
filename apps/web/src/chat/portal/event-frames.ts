/** One frame of the stream of a run (§6.1); which fields it has depends on `type`. */
export interface PortalFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

function frameOf(line: string): PortalFrame | undefined {
  if (!line.startsWith('data:')) return undefined;
  const data: unknown = JSON.parse(line.slice('data:'.length));
  return typeof data === 'object' && data !== null && 'type' in data ? (data as PortalFrame) : undefined;
}

/** Reads server-sent events whose data is one line of JSON, however the bytes were cut on the way. */
export async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<PortalFrame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const frame = frameOf(line);
        if (frame) yield frame;
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
