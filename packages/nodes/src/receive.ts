import type { Json, JsonObject, NodeDefinition, TriggerKind } from '@millrace/engine';
import type { z } from 'zod';
import type { Credential, Egress, NodeServices } from './services.ts';

export type { PlatformEventName, RunEventName } from './platform-event-trigger/definition.ts';

/** Something that happened at the source and starts one run. */
export interface TriggerEvent {
  /** Unique name of the event at its source: the same name starts no second run. */
  readonly cause: string;
  /** The input that the run receives (§6.2). */
  readonly input: JsonObject;
  /** Where the source was read to with this event; stored together with the run. */
  readonly cursor?: Json;
}

/**
 * `queued`: stored, the source may be told. `repeated`: the event has started a run before; it may be told too. `lost`:
 * another process hosts the trigger now, or it has changed; the source must not be told, and reading ends.
 */
export type FireOutcome =
  | { readonly kind: 'queued'; readonly run_id: string }
  | { readonly kind: 'repeated'; readonly run_id: string }
  | { readonly kind: 'lost' };

/** The services that a trigger may use of the process that hosts it. */
export interface TriggerServices {
  readonly http: Egress;
  /** Fails with a sentence for the owner when the id is empty, unknown or not visible to the workflow's owner. */
  credential(id: string): Promise<Credential>;
  /** Epoch milliseconds. */
  now(): number;
  /** Files of the workflow's owner, for what is too large to be a part of an event. */
  readonly files: TriggerFiles;
  readonly parsers: NodeServices['parsers'];
}

export interface TriggerFiles {
  /** Largest file. */
  readonly max_bytes: number;
  store(file: {
    readonly filename: string;
    readonly body: AsyncIterable<Uint8Array>;
  }): Promise<{ readonly id: string; readonly download_url: string }>;
  /** Removes a file that was stored for an event which started no run. */
  discard(id: string): Promise<void>;
}

/** The trigger as its receiver sees it. */
export interface TriggerCall<P> {
  /** Parsed by the definition's schema. */
  readonly params: P;
  readonly node_id: string;
  readonly services: TriggerServices;
}

/** A receiver that is told where it stopped, and hands events over one by one. */
export interface ReadingCall<P> extends TriggerCall<P> {
  /** The cursor that was stored with the last event; null at first. */
  readonly cursor: Json;
  /** Aborts when the trigger has changed, moved to another process, or the process stops. */
  readonly signal: AbortSignal;
  /** Resolves once the run is durable. Waits while the workflow has as many waiting runs as it may have. */
  fire(event: TriggerEvent): Promise<FireOutcome>;
}

interface Receiver<Kind extends TriggerKind> {
  readonly kind: Kind;
  readonly definition: NodeDefinition;
  /** Label of its runs (§6.3); null: unset. */
  readonly source: string | null;
  /** How long a cause is known; null: for ever. */
  readonly causes_kept_days: number | null;
}

/**
 * The facts that a clock knows about its node. Due times follow from them alone, so a page can show what the host will
 * do.
 */
export interface ClockCall<P> {
  /** Parsed by the definition's schema. */
  readonly params: P;
  readonly node_id: string;
  /** Zone of the service, an IANA name. */
  readonly time_zone: string;
}

/** The treatment of due times that passed while no process looked. */
export interface Misfire {
  readonly policy: 'run_all' | 'run_once' | 'skip';
  /** Older due times are skipped. */
  readonly grace_ms: number;
}

export interface ClockReceiver<P> extends Receiver<'clock'> {
  /** First due time strictly after that moment, both epoch milliseconds; undefined: never. Throws when unreadable. */
  readonly next: (call: ClockCall<P>, after_ms: number) => number | undefined;
  readonly event: (call: ClockCall<P>, due_ms: number) => TriggerEvent;
  readonly misfire: (call: ClockCall<P>) => Misfire;
}

export interface PollReceiver<P> extends Receiver<'poll'> {
  /** Between the end of one look and the next. */
  readonly interval_ms: (call: TriggerCall<P>) => number;
  /** Fires what is new, oldest first; the result is stored as the cursor. */
  readonly poll: (call: ReadingCall<P>) => Promise<Json>;
  /**
   * Waits until there may be an event after the cursor, so that the next poll can start early. Resolves to `unable`
   * when the source does not support it.
   */
  readonly watch?: (call: Omit<ReadingCall<P>, 'fire'>) => Promise<'news' | 'unable'>;
}

/** The event is valid, but nothing can be stored now; it can be retried. */
export class NothingStored extends Error {
  constructor(cause: unknown) {
    super('an event could not be stored', { cause });
    this.name = 'NothingStored';
  }
}

export interface ConnectionCall<P> extends Omit<ReadingCall<P>, 'fire'> {
  /** The source is ready to deliver. */
  connected(): void;
  /**
   * Resolves once the run is durable. Waits while the workflow has as many waiting runs as it may have. Rejects without a run
   * when the signal of the call aborts before, or `gone` in its place, which includes it: the source has taken the event back.
   */
  fire(event: TriggerEvent, gone?: AbortSignal): Promise<FireOutcome>;
  /** Replaces the cursor without an event: immediately for the next connection, and stored when this one ends. */
  keepCursor(cursor: Json): void;
  /** An event that can start no run. The sentence is shown to the owner; reading continues. */
  refused(reason: string): void;
  /** Maximum number of running and waiting runs of the workflow, and so of events that are held. */
  readonly most_waiting: number;
}

export interface ConnectionReceiver<P> extends Receiver<'connection'> {
  /** Holds the connection until it ends or the signal aborts. A rejection is shown to the owner. */
  readonly connect: (call: ConnectionCall<P>) => Promise<void>;
  /** Least pause before it connects again; null: it does not. */
  readonly retry_ms: (call: TriggerCall<P>) => number | null;
}

/** A call of the trigger's address before its body is read. */
export interface WebhookHead {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same without those that prove who has sent them: what a run may see. */
  readonly safe_headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** A call of the trigger's address, as it came. */
export interface WebhookRequest extends WebhookHead {
  /** As it was sent; signatures are over these bytes. */
  readonly body: Uint8Array;
  /**
   * The body as data: JSON, forms and text by their type, files and other bytes as `{filename, content_type, size, base64}`.
   * Rejects with a refusal for the sender when it is broken.
   */
  content(): Promise<Json>;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `event` absent: answered without a run, as in a handshake or a refusal. The answer is sent once the run is durable. */
export interface WebhookReception {
  readonly answer: WebhookAnswer;
  readonly event?: TriggerEvent;
  /** The run answers instead: at its end, or earlier when an Output node does. */
  readonly answered_by?: 'end' | 'output';
  /** Reply address for the answer that the platform has promised the sender, sent when the run has ended. */
  readonly deferred?: Deferred;
}

export interface Deferred {
  /** Stored encrypted until then. */
  readonly address: JsonObject;
  /** Deadline of the platform in epoch milliseconds. */
  readonly expires_at_ms: number;
}

export interface LaterAnswer {
  readonly http: Egress;
  readonly signal: AbortSignal;
  /** From the reception. */
  readonly address: JsonObject;
  readonly text: string;
}

export interface WebhookReceiver<P> extends Receiver<'webhook'> {
  /** Family of addresses: `/api/{route}/webhook/{node_id}`, and of `webhooks` `/api/webhooks/{node_id}`. */
  readonly route: string;
  /** Decides by the head alone: a refusal, before anything of the body is read. */
  readonly screen?: (call: TriggerCall<P>, head: WebhookHead) => Promise<WebhookReception | undefined>;
  readonly receive: (call: TriggerCall<P>, request: WebhookRequest) => Promise<WebhookReception>;
  /** Sends a deferred answer. Resolves to `gone` when the platform no longer accepts it; rejects when it can be retried. */
  readonly answerLater?: (answer: LaterAnswer) => Promise<'sent' | 'gone'>;
}

/** Something that happened within the service. */
export interface PlatformEvent extends JsonObject {
  id: string;
  name: string;
  payload: JsonObject;
  workflow_id: string | null;
  /** ISO 8601. */
  created_at: string;
}

export interface EventReceiver<P> extends Receiver<'event'> {
  /** Names of the events that start it; empty: all but those of runs. */
  readonly names: (call: TriggerCall<P>) => readonly string[];
  /** One run for all events of a pass, oldest first. */
  readonly input: (call: TriggerCall<P>, events: readonly PlatformEvent[]) => JsonObject;
}

export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  /** Bytes. */
  readonly size: number;
  readonly download_url: string;
}

/** A file that was sent to a one-time address. */
export interface Upload {
  readonly file: UploadedFile;
  /** ISO 8601. */
  readonly uploaded_at: string;
  readonly client_ip: string;
  readonly slot_id: string;
}

export interface UploadReceiver extends Receiver<'upload'> {
  readonly input: (node_id: string, upload: Upload) => JsonObject;
}

type ReceiverOf<P> =
  | ClockReceiver<P>
  | PollReceiver<P>
  | ConnectionReceiver<P>
  | WebhookReceiver<P>
  | EventReceiver<P>
  | UploadReceiver;

type Any = Readonly<Record<string, unknown>>;

/** How a trigger type receives, by its kind. */
export type TriggerReceiver = ReceiverOf<Any>;

type WithoutDefinition<R> = R extends unknown ? Omit<R, 'definition'> : never;

/** Joins a definition with the way in which it receives; `params` has the type that the definition's schema infers. */
export function receive<P extends z.ZodObject>(
  definition: NodeDefinition<P>,
  receiver: WithoutDefinition<ReceiverOf<z.output<P>>>,
): TriggerReceiver {
  return parsedBySchema({ ...receiver, definition });
}

/** Guarantee: hosts parse parameters with `definition.params` before they call, so their type is the inferred one. */
function parsedBySchema(receiver: object): TriggerReceiver {
  return receiver as TriggerReceiver;
}
