import type { TriggerReceiver } from '@millrace/nodes/runtime';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import { runClock } from './clock.ts';
import { keepConnection } from './connection.ts';
import {
  type HostContext,
  type HostServices,
  type Reading,
  readingOf,
  UnreadableSettings,
} from './context.ts';
import { EventDispatcher } from './events.ts';
import { noteChange } from './health.ts';
import { dueTriggers, type HostedTrigger, nextDue, ownTriggers } from './hosted-trigger.ts';
import { runPoll } from './poll.ts';
import { createRoom, type Room } from './room.ts';
import { balance, joinHosts, leaveHosts } from './shares.ts';

/** Hosts this process' share of the triggers. */
export interface TriggerHost {
  start(): Promise<void>;
  /** One look: takes its share, follows changes, starts what is due. Resolves when that is durable; polls continue. */
  tick(): Promise<void>;
  /** Resolves when no poll, no pass of events and no connection is under way. */
  settled(): Promise<void>;
  /** Stops reading and gives its triggers to the others. */
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly services: HostServices;
  readonly receivers: ReadonlyMap<string, TriggerReceiver>;
}

const TICK_MS = 1_000;
/** Behind a due time, so that a timer that fires a little early has reached it. */
const LAG_MS = 10;
/** Due triggers that are read at once, and of those worked on at once. */
const BATCH = 200;
const AT_ONCE = 8;
/** Polls under way at once. */
const MOST_POLLS = 50;

interface Session {
  readonly epoch: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Works on all, a few at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

class Host implements TriggerHost {
  readonly #ctx: HostContext;
  readonly #room: Room;
  readonly #polls = new Map<string, Session>();
  readonly #connections = new Map<string, Session>();
  readonly #events: EventDispatcher;
  #timer: NodeJS.Timeout | undefined;
  #current: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor({ services, receivers }: HostOptions) {
    const sql = services.database.journal;
    const { worker_id } = services.execution.environment.ownership;
    this.#ctx = { services, sql, worker_id, receivers };
    this.#room = createRoom(sql, services.config.TRIGGER_QUEUE_LIMIT);
    const readingOf = (trigger: HostedTrigger) => this.#readingOf(trigger);
    this.#events = new EventDispatcher({ ctx: this.#ctx, room: this.#room, readingOf });
  }

  async start(): Promise<void> {
    await joinHosts(this.#ctx.sql, this.#ctx.worker_id);
    this.#isRunning = true;
    this.#wait(0);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#current;
    for (const session of [...this.#polls.values(), ...this.#connections.values()])
      session.controller.abort();
    this.#events.stop();
    await this.settled();
    await leaveHosts(this.#ctx.sql, this.#ctx.worker_id);
  }

  async settled(): Promise<void> {
    const sessions = [...this.#polls.values(), ...this.#connections.values()];
    await Promise.all([...sessions.map(({ ended }) => ended), this.#events.settled()]);
  }

  async tick(): Promise<void> {
    const { sql, worker_id, services } = this.#ctx;
    await balance(sql, worker_id);
    await this.#followConnections();
    const now_ms = services.now();
    await this.#runClocks(now_ms);
    await this.#startPolls(now_ms);
    await this.#events.look(now_ms);
  }

  /** What fails stays due and is tried again at the next look. */
  async #runClocks(now_ms: number): Promise<void> {
    const { sql, worker_id } = this.#ctx;
    const tried = new Set<string>();
    for (let isMore = true; isMore; ) {
      const limit = BATCH + tried.size;
      const due = await dueTriggers(sql, { worker_id, kinds: ['clock'], now_ms, limit });
      const fresh = due.filter(({ id }) => !tried.has(id));
      for (const { id } of fresh) tried.add(id);
      await forEach(fresh, (trigger) => this.#runDue(trigger));
      isMore = due.length === limit && fresh.length > 0;
    }
  }

  #wait(delay_ms: number): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#current = this.#look().then((delay) => this.#wait(delay));
    }, delay_ms);
    this.#timer.unref();
  }

  /** @returns milliseconds until the next look */
  async #look(): Promise<number> {
    const { sql, worker_id, services } = this.#ctx;
    try {
      await this.tick();
      const now_ms = services.now();
      const next = await nextDue(sql, worker_id, now_ms);
      return next === undefined ? TICK_MS : Math.min(TICK_MS, next - now_ms + LAG_MS);
    } catch (error) {
      services.log.error({ err: error }, 'trigger maintenance failed; trying again');
      return TICK_MS;
    }
  }

  /** Undefined when there is nothing to host: unknown here, or with settings that cannot be read. */
  async #readingOf(trigger: HostedTrigger): Promise<Reading | undefined> {
    const receiver = this.#ctx.receivers.get(trigger.type);
    // A neighbouring version of the program may know the type.
    if (receiver?.kind !== trigger.kind) return undefined;
    try {
      return readingOf(this.#ctx, trigger, receiver);
    } catch (error) {
      if (!(error instanceof UnreadableSettings)) throw error;
      await this.#fail(trigger, error.message);
      return undefined;
    }
  }

  /** Only a change of its settings can help. */
  async #fail(trigger: HostedTrigger, reason: string): Promise<void> {
    await noteChange(this.#ctx.sql, trigger, { state: 'failing', error: reason, next_due_ms: null });
  }

  async #runDue(trigger: HostedTrigger): Promise<void> {
    const { log } = this.#ctx.services;
    const reading = await this.#readingOf(trigger);
    if (reading?.receiver.kind !== 'clock') return;
    try {
      await runClock(this.#ctx, { ...reading, receiver: reading.receiver });
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      log.error(
        { err: error, trigger_id: trigger.id, workflow_id: trigger.workflow_id },
        'a schedule failed',
      );
      if (error instanceof UnreadableSettings) await this.#fail(trigger, error.message);
      else await noteChange(this.#ctx.sql, trigger, { state: 'failing', error: reading.reasonOf(error) });
    }
  }

  #begin(
    sessions: Map<string, Session>,
    trigger: HostedTrigger,
    work: (controller: AbortController) => Promise<void>,
  ): void {
    const controller = new AbortController();
    const ended = work(controller).catch((error: unknown) => {
      this.#ctx.services.log.error({ err: error, trigger_id: trigger.id }, 'a trigger stopped reading');
    });
    sessions.set(trigger.id, { epoch: trigger.epoch, controller, ended });
  }

  async #startPolls(now_ms: number): Promise<void> {
    const { sql, worker_id } = this.#ctx;
    const limit = MOST_POLLS;
    const due = await dueTriggers(sql, { worker_id, kinds: ['poll'], now_ms, limit });
    for (const trigger of due) {
      if (this.#polls.size >= MOST_POLLS || this.#polls.has(trigger.id)) continue;
      const reading = await this.#readingOf(trigger);
      if (reading?.receiver.kind !== 'poll') continue;
      const { receiver } = reading;
      this.#begin(this.#polls, trigger, async ({ signal }) => {
        await runPoll(this.#ctx, { ...reading, receiver }, { signal, room: this.#room }).finally(() =>
          this.#polls.delete(trigger.id),
        );
      });
    }
  }

  /** Ends connections of triggers that changed or moved, begins those that are missing. */
  async #followConnections(): Promise<void> {
    const { sql, worker_id } = this.#ctx;
    const own = new Map((await ownTriggers(sql, worker_id, 'connection')).map((one) => [one.id, one]));
    for (const [id, session] of this.#connections) {
      if (own.get(id)?.epoch === session.epoch) continue;
      session.controller.abort();
      await session.ended;
      this.#connections.delete(id);
    }
    for (const trigger of own.values()) {
      // One that ended for good stays, so that it does not begin again, and so does one that cannot be read.
      if (this.#connections.has(trigger.id)) continue;
      const reading = await this.#readingOf(trigger);
      if (reading?.receiver.kind !== 'connection') {
        this.#begin(this.#connections, trigger, () => Promise.resolve());
        continue;
      }
      const { receiver } = reading;
      this.#begin(this.#connections, trigger, ({ signal }) =>
        keepConnection(this.#ctx, { ...reading, receiver }, { signal, room: this.#room }),
      );
    }
  }
}

export const createTriggerHost = (options: HostOptions): TriggerHost => new Host(options);
