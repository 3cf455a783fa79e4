export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** An event stream as a client reads it. */
export interface SseReader {
  /** The next event; comments are passed over. */
  next(): Promise<SseEvent>;
  /** Reads to the end; true when the server ended it. */
  ended(): Promise<boolean>;
  close(): void;
}

function parseEvent(block: string): SseEvent | undefined {
  const lines = block.split('\n');
  const readLine = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = readLine('data');
  return data === undefined ? undefined : { event: readLine('event') ?? 'message', data };
}

/** Opens a stream and fails when it is refused. */
export async function openSse(url: string, headers: Record<string, string>): Promise<SseReader> {
  const leaving = new AbortController();
  const answer = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  if (!answer.ok || !answer.body) throw new Error(`the stream answered ${answer.status}`);
  const chunks = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  async function next(): Promise<SseEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const found = parseEvent(text.slice(0, end));
        text = text.slice(end + 2);
        if (found) return found;
        continue;
      }
      const { done, value } = await chunks.read();
      if (done) return undefined;
      text += value;
    }
  }
  return {
    async next() {
      const found = await next();
      if (!found) throw new Error('the stream ended');
      return found;
    },
    async ended() {
      while (await next());
      return true;
    },
    close: () => leaving.abort(),
  };
}
