import type { JsonObject } from '@millrace/engine';

/** Tokens as providers count them; 0 when they do not say. */
export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** Those of the prompt that the provider had in its cache and charges less for; absent when there were none. */
  readonly cached_tokens?: number;
  /** Those of the prompt that the provider put into its cache and charges more for; absent when there were none. */
  readonly cache_write_tokens?: number;
}

/** A call of a model that has ended, with all of its repetitions. Values are as they were sent: the receiver hides secrets. */
export interface ModelCallNote {
  readonly request_type: 'batch' | 'chat' | 'decision' | 'embedding' | 'image' | 'moderation';
  /** Absent where the server is known by its address alone. */
  readonly provider?: string | undefined;
  readonly model: string;
  /** The request in the form of this package, independent of the format of the provider. Contains no headers and no keys. */
  readonly request: object;
  /** Null when the call failed. */
  readonly response: JsonObject | null;
  /** Why it failed, in plain words. */
  readonly error: string | null;
  /** Null when the provider counts none. */
  readonly usage: TokenUsage | null;
  /** US dollars as the called side counts them; they count where the model has no known price. */
  readonly cost_usd?: number;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
  /** Until the last byte of the last attempt, pauses included. */
  readonly elapsed_ms: number;
}
