import type { Service } from '@millrace/engine/credential';
import type { ModelCallNote } from './model-call.ts';

/** One HTTP exchange. Both bodies and headers are the caller's. */
export interface TransportRequest {
  method: string;
  /** Absolute `http:` or `https:` address. */
  url: string;
  /** In sending order; the same name may occur twice. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Whole, not a stream, because a redirect may ask for it again. */
  body?: string | Uint8Array;
  /** From the call until the last byte of the answer. */
  timeout_ms: number;
  /** Counted after decompression; a longer answer fails instead of being cut. */
  max_response_bytes: number;
  follow_redirects: boolean;
  /** Closes the connection when it aborts. */
  signal: AbortSignal;
}

export interface TransportResponse {
  status: number;
  /** Names in lower case; repeated headers joined by `, ` (`set-cookie` by newline, as it may hold commas). */
  headers: Record<string, string>;
  /** Decompressed. Must be read to the end or cancelled by `return()`; errors are `NodeFailure` too. */
  body: AsyncIterable<Uint8Array>;
}

/** The only way out of this package. */
export interface ModelTransport {
  request(request: TransportRequest): Promise<TransportResponse>;
}

/** Everything that a call needs of the run that makes it. */
export interface ModelCaller {
  readonly http: ModelTransport;
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves at that epoch millisecond; rejects when the signal aborts. */
  sleepUntil(epoch_ms: number, signal: AbortSignal): Promise<void>;
  readonly signal: AbortSignal;
  /** Longest time that a call waits for a limit to free or a provider to recover, all pauses together; 0: no repetitions. */
  readonly max_wait_ms: number;
  /** Hides values of credentials in what is sent: a provider gets to know those of its own headers alone (§5.8). */
  mask<T>(value: T): T;
  /** Called before each call; when it rejects, nothing is sent and the call fails with that error. */
  readonly beforeCall?: ((call: PlannedCall) => Promise<void>) | undefined;
  /** Gets each call once, when it has ended. Must not throw. */
  readonly onCall?: ((call: ModelCallNote) => void) | undefined;
}

/** A call that is about to be made. */
export interface PlannedCall extends Pick<ModelCallNote, 'request_type' | 'provider' | 'model'> {
  /** Its note will have `cost_usd`. */
  readonly reports_cost?: boolean;
}

/** The hooks that watch the calls of a caller. */
export type CallHooks = Pick<ModelCaller, 'beforeCall' | 'onCall'>;

/** How a provider is spoken to. `compatible`: any server that speaks OpenAI's Chat Completions. */
export type ModelProvider = 'openai' | 'anthropic' | 'google' | 'compatible';

/** An address and who it is asked as. */
export interface AskedService {
  /** How errors name it. */
  readonly title: string;
  readonly provider?: string | undefined;
  /** Base address and every header that authenticates; they replace what a provider's library would send. */
  readonly service: Service;
  /** Never part of an error. */
  readonly secrets: readonly string[];
}

/** A provider of models. */
export interface ModelService extends AskedService {
  readonly provider: ModelProvider;
}
