import { beginConversation, type Door } from '../portal/requests.ts';
import type { Watcher } from './follow-run.ts';
import type { Message } from './message.ts';

/** A conversation on the page; one without an id is stored by its first message. */
export interface Opened {
  readonly id?: string | undefined;
  readonly messages: readonly Message[];
}

export interface ThreadOptions {
  /** As whom the portal is called at first. */
  readonly door: Door;
  readonly opened: Opened;
  /** Called after every change. */
  readonly onChange: (opened: Opened) => void;
  /** A visitor without a login was given a token, by which their conversations are found again. */
  readonly onVisitorToken: (token: string) => void;
}

/** The messages on the page, where they are stored, and the one run whose progress is shown in them. */
export class Thread {
  #door: Door;
  #opened: Opened;
  #followed = new AbortController();
  /** How many conversations were opened. */
  #place = 0;
  /** Ends when the conversations that are being begun have their ids. */
  #begun: Promise<unknown> = Promise.resolve();
  /** Who waits for the run of an answer, by the answer's id. */
  readonly #awaited = new Map<string, ((execution_id: string | undefined) => void)[]>();
  readonly #onChange: ThreadOptions['onChange'];
  readonly #onVisitorToken: ThreadOptions['onVisitorToken'];

  constructor({ door, opened, onChange, onVisitorToken }: ThreadOptions) {
    this.#door = door;
    this.#opened = opened;
    this.#onChange = onChange;
    this.#onVisitorToken = onVisitorToken;
  }

  get door(): Door {
    return this.#door;
  }

  get id(): string | undefined {
    return this.#opened.id;
  }

  get messages(): readonly Message[] {
    return this.#opened.messages;
  }

  get last(): Message | undefined {
    return this.messages.at(-1);
  }

  /** Aborted when what is followed is no longer wanted on this page. */
  get signal(): AbortSignal {
    return this.#followed.signal;
  }

  show(messages: readonly Message[]): void {
    this.#set({ id: this.id, messages });
  }

  /** Shows another conversation, in which nothing is followed yet. */
  open({ id, messages }: Opened): void {
    this.#renew();
    this.#place += 1;
    this.#set({ id, messages });
  }

  /** Shows in an answer what is followed for it, in the place of what was followed before. */
  follow(answer_id: string): Watcher {
    this.#renew();
    return this.watch(answer_id);
  }

  /** Shows changes of an answer for as long as the same thing is followed. */
  watch(answer_id: string): Watcher {
    const { signal } = this;
    return {
      signal,
      change: (change) => {
        if (typeof change !== 'function' && change.execution_id !== undefined)
          this.#name(answer_id, change.execution_id);
        if (signal.aborted) return;
        this.show(
          this.messages.map((message) =>
            message.id === answer_id && message.role === 'assistant'
              ? { ...message, ...(typeof change === 'function' ? change(message) : change) }
              : message,
          ),
        );
      },
    };
  }

  /**
   * The run of an answer as soon as the server names it, also when the answer is no longer shown then. Undefined when the
   * answer has ended without one.
   */
  awaitRun(answer_id: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#awaited.set(answer_id, [...(this.#awaited.get(answer_id) ?? []), resolve]);
    });
  }

  /** Nothing is done for the answer any more, so its run will not be named. */
  end(answer_id: string): void {
    this.#name(answer_id, undefined);
  }

  /** No longer shows what is followed. */
  leave(): void {
    this.#followed.abort();
  }

  /** The id of the stored conversation, which is begun when there is none. */
  async stored(): Promise<string> {
    if (this.id !== undefined) return this.id;
    const place = this.#place;
    // One after the other: one that began before the token of the first is here would be of another visitor.
    const beginning = this.#begun.then(() => this.#begin(place));
    this.#begun = beginning.catch(() => undefined);
    return beginning;
  }

  /** The next message begins another conversation. */
  forgetId(): void {
    this.#opened = { messages: this.messages };
  }

  async #begin(place: number): Promise<string> {
    if (place === this.#place && this.id !== undefined) return this.id;
    const { id, visitor_token } = await beginConversation(this.#door);
    if (visitor_token !== null) {
      this.#door = { ...this.#door, visitor_token };
      this.#onVisitorToken(visitor_token);
    }
    // A page that is closed before anything else changes must find its message again, and another conversation keeps its id.
    if (place === this.#place) this.#set({ id, messages: this.messages });
    return id;
  }

  #name(answer_id: string, execution_id: string | undefined): void {
    for (const tell of this.#awaited.get(answer_id) ?? []) tell(execution_id);
    this.#awaited.delete(answer_id);
  }

  #set(opened: Opened): void {
    this.#opened = opened;
    this.#onChange(opened);
  }

  #renew(): void {
    this.#followed.abort();
    this.#followed = new AbortController();
  }
}
