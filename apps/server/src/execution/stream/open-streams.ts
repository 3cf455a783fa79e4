/** A stream of a run to one reader. */
export interface OpenStream {
  readonly run_id: string;
  /** Ends it before the run ends; the reader is asked to reconnect. */
  leave(): void;
}

/** Streams that readers follow at this process. */
export interface OpenStreams {
  /** The returned function takes it out again. */
  add(stream: OpenStream): () => void;
  /** Lets those readers go whose run `stays` does not hold on to. */
  leave(stays: (run_id: string) => boolean): void;
  /** Lets all readers go, and those who come from now on. */
  close(): void;
}

export function createOpenStreams(): OpenStreams {
  const streams = new Set<OpenStream>();
  let isClosed = false;

  function leave(stays: (run_id: string) => boolean): void {
    for (const stream of Array.from(streams)) if (!stays(stream.run_id)) stream.leave();
  }

  return {
    add(stream) {
      streams.add(stream);
      if (isClosed) stream.leave();
      return () => streams.delete(stream);
    },
    leave,
    close() {
      isClosed = true;
      leave(() => false);
    },
  };
}
