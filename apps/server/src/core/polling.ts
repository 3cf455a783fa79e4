export interface PollingOptions {
  /** Milliseconds between two looks. One that comes due while a round is under way is left out. */
  readonly every_ms: number;
  /** Whether the first round begins at once instead of after `every_ms`. */
  readonly at_once?: boolean;
  /** One round. Its signal aborts when the polling is stopped; a round that takes long heeds it. */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  /** Called with the reason of a failed round; the next one still begins on time. */
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats work, never twice at once, without keeping the process alive.
 *
 * @returns ends the polling; resolves when the round under way has ended, and never rejects
 */
export function startPolling({ every_ms, at_once, work, onError }: PollingOptions): () => Promise<void> {
  const stopping = new AbortController();
  let current: Promise<void> | undefined;
  const round = async () => {
    try {
      await work(stopping.signal);
    } catch (error) {
      onError(error);
    }
  };
  const look = () => {
    current ??= round().finally(() => {
      current = undefined;
    });
  };
  const timer = setInterval(look, every_ms);
  timer.unref();
  if (at_once) look();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await current;
  };
}
