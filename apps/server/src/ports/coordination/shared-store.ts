/** Answer of a sliding window (§8.1). */
export interface WindowCount {
  allowed: boolean;
  remaining: number;
  /** Whole seconds until the window has room again or is empty. */
  reset_seconds: number;
}

/** Data that may be lost: response cache and limiter windows. Shared across processes when a shared store is configured. */
export interface SharedStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttl_seconds: number): Promise<void>;
  /** The value of a key, which is forgotten in the same step: of several callers, one gets it. */
  take(key: string): Promise<string | undefined>;
  /** Forgets every key that starts with the prefix. */
  forget(prefix: string): Promise<void>;
  /** Counts one call in a sliding window of `window_seconds`; a refused call is not counted. */
  countInWindow(key: string, limit: number, window_seconds: number): Promise<WindowCount> | WindowCount;
  close(): Promise<void>;
}
