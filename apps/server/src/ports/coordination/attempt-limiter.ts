/** So many attempts per window; the first one too many starts a ban (§8.2). */
export interface AttemptRule {
  readonly name: string;
  readonly attempts: number;
  readonly window_seconds: number;
  readonly ban_seconds: number;
}

export interface AttemptState {
  /** Attempts that are still taken in the window. */
  readonly left: number;
  /** Seconds to wait, while the next attempt would be refused by a ban. */
  readonly wait_seconds: number | undefined;
}

export interface AttemptLimiter {
  /** Counts one attempt; answers the seconds to wait when it is refused. */
  count(key: string): Promise<number | undefined>;
  /** The state of the key; counts nothing. */
  state(key: string): Promise<AttemptState>;
}

/** Makes a limiter of one rule; which store it counts in is chosen once for all. */
export type LimiterFactory = (rule: AttemptRule) => AttemptLimiter;
