/** So many attempts per window; the first one too many starts a ban (§8.2). */
export interface AttemptRule {
  readonly name: string;
  readonly attempts: number;
  readonly window_seconds: number;
  readonly ban_seconds: number;
}

export interface AttemptLimiter {
  /** Counts one attempt; answers the seconds to wait when it is refused. */
  count(key: string): Promise<number | undefined>;
}

/** Makes a limiter of one rule; which store it counts in is chosen once for all. */
export type LimiterFactory = (rule: AttemptRule) => AttemptLimiter;
