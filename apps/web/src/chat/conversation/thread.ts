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

  /** No longer shows what is followed. */
  leave(): void {
    this.#followed.abort();
  }

  /** The id of the stored conversation, which is begun when there is none. */
  async stored(): Promise<string> {
    if (this.id !== undefined) return this.id;
    const place = this.#place;
    const { id, visitor_token } = await beginConversation(this.#door);
    if (visitor_token !== null) {
      this.#door = { ...this.#door, visitor_token };
      this.#onVisitorToken(visitor_token);
    }
    // A page that is closed before anything else changes must find its message again, and another conversation keeps its id.
    if (place === this.#place) this.#set({ id, messages: this.messages });
    return id;
  }

  /** The next message begins another conversation. */
  forgetId(): void {
    this.#opened = { messages: this.messages };
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
