/**
 * Counts the changes to what processes keep in memory: workflows, who may see them, sessions and tokens. Hints make others
 * forget soon; this makes sure that no answer comes from what another process had changed before the request.
 *
 * A look at the count is good for a moment, and a request that changes something is not answered before that moment is
 * over: requests cost no look of their own, and yet none is answered from a state older than the last answered change.
 */
export interface ChangeClock {
  /**
   * The count, from a look that is still good. Answers without a promise when there is one, and always where no other
   * process can change anything. Rejects when the count cannot be known.
   */
  current(): number | Promise<number>;
  /** The highest count that was seen. What was read since then is as it is now. */
  readonly seen: number;
  /** After the commit of a change: resolves when every look from before has gone stale, wherever it was made. */
  waitUntilVisible(): undefined | Promise<void>;
  /** Calls after a change, at the latest a second later; the returned function ends it. */
  watch(onChange: () => void): () => void;
}
