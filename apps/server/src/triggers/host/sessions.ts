import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HostedTrigger } from './hosted-trigger.ts';

interface Session {
  readonly epoch: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  isOver: boolean;
}

/** Resolves when the work has ended, or when the time is over. */
export async function withinTime(work: Promise<void>, within_ms: number): Promise<void> {
  const given_up = new AbortController();
  await Promise.race([
    work.finally(() => given_up.abort()),
    pause(within_ms, undefined, { signal: given_up.signal }).catch(() => undefined),
  ]);
}

export interface SessionsOptions {
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /** A session that ended is not begun again until its trigger changes. */
  readonly once: boolean;
}

/** Work for triggers that takes longer than one look: polls or connections, one at a time per trigger. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Triggers that have a session. */
  get trigger_ids(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  has(trigger_id: string): boolean {
    return this.#sessions.has(trigger_id);
  }

  begin({ id, epoch }: HostedTrigger, work: (signal: AbortSignal) => Promise<void>): void {
    const { log, once } = this.#options;
    const controller = new AbortController();
    const ended = work(controller.signal)
      .catch((error: unknown) => log.error({ err: error, trigger_id: id }, 'a trigger stopped reading'))
      .finally(() => {
        session.isOver = true;
        if (!once || controller.signal.aborted) this.#sessions.delete(id);
      });
    const session: Session = { epoch, controller, ended, isOver: false };
    this.#sessions.set(id, session);
  }

  /**
   * Ends sessions whose trigger has changed or moved. One that takes long to end delays only its own trigger.
   *
   * @param epochs of the triggers that this process hosts now
   */
  follow(epochs: ReadonlyMap<string, number>): void {
    for (const [id, { epoch, controller, isOver }] of this.#sessions) {
      if (epochs.get(id) === epoch) continue;
      controller.abort();
      if (isOver) this.#sessions.delete(id);
    }
  }

  /** Resolves when the sessions of this moment have ended. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.values(), ({ ended }) => ended));
  }

  /** Ends all sessions; those that have not ended after the time are left behind. */
  async stop(within_ms: number): Promise<void> {
    for (const { controller } of this.#sessions.values()) controller.abort();
    await withinTime(this.settled(), within_ms);
    const left = Array.from(this.#sessions).flatMap(([id, { isOver }]) => (isOver ? [] : [id]));
    if (left.length > 0) this.#options.log.warn({ triggers: left }, 'triggers did not stop reading in time');
  }
}
