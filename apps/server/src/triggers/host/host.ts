import type { TriggerKind } from '@millrace/engine';
import type { TriggerReceiver } from '@millrace/nodes/runtime';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import { createRefusals } from '../refused/refusals.ts';
import { runClock } from './clock.ts';
import { keepConnection } from './connection.ts';
import {
  createReading,
  type HostContext,
  type HostServices,
  type Reading,
  UnreadableSettings,
} from './context.ts';
import { EventDispatcher } from './events.ts';
import { FailurePauses } from './health/failure-pauses.ts';
import { noteChange } from './health/trigger-health.ts';
import { dueTriggers, type HostedTrigger, nextDue, ownTriggers } from './hosted-trigger.ts';
import { runPoll } from './poll.ts';
import { createRoom, type Room } from './room.ts';
import { Sessions } from './sessions.ts';
import { balance, joinHosts, leaveHosts } from './shares.ts';
import { Watches } from './watches.ts';

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
/** Sources that do not let go within this time are left behind when the process stops. */
const STOP_MS = 5_000;

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
  readonly #polls: Sessions;
  readonly #connections: Sessions;
  readonly #events: EventDispatcher;
  readonly #watches: Watches;
  readonly #pauses = new FailurePauses();
  #timer: NodeJS.Timeout | undefined;
  #current: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor({ services, receivers }: HostOptions) {
    const sql = services.database.journal;
    const { worker_id } = services.execution.ownership;
    this.#ctx = { services, sql, worker_id, receivers, refusals: createRefusals(services, sql) };
    this.#room = createRoom(sql, services.config.TRIGGER_QUEUE_LIMIT);
    const { log } = services;
    this.#polls = new Sessions({ log, once: false });
    this.#connections = new Sessions({ log, once: true });
    const prepareReading = (trigger: HostedTrigger) => this.#prepareReading(trigger);
    this.#watches = new Watches({ ctx: this.#ctx, prepareReading });
    this.#events = new EventDispatcher({ ctx: this.#ctx, room: this.#room, prepareReading });
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
    await Promise.all([
      this.#polls.stop(STOP_MS),
      this.#watches.stop(STOP_MS),
      this.#connections.stop(STOP_MS),
      this.#events.stop(STOP_MS),
    ]);
    await this.#ctx.refusals.flush();
    await this.#leave();
  }

  /** When this fails, its triggers are free as soon as the process is gone. */
  async #leave(): Promise<void> {
    const { sql, worker_id, services } = this.#ctx;
    try {
      await leaveHosts(sql, worker_id);
    } catch (error) {
      services.log.warn({ err: error }, 'the triggers of this process could not be given to others');
    }
  }

  async settled(): Promise<void> {
    await Promise.all([this.#polls.settled(), this.#connections.settled(), this.#events.settled()]);
  }

  #listTypes(kind: TriggerKind): string[] {
    const types: string[] = [];
    for (const [type, receiver] of this.#ctx.receivers) if (receiver.kind === kind) types.push(type);
    return types;
  }

  async tick(): Promise<void> {
    const { sql, worker_id, services } = this.#ctx;
    await balance(sql, worker_id);
    await this.#followConnections();
    const now_ms = services.now();
    await this.#runClocks(now_ms);
    await this.#startPolls(now_ms);
    await this.#watches.look(now_ms, (id) => this.#polls.has(id));
    await this.#events.look(now_ms);
  }

  /** A clock that fails stays due, for its due time names its run, and is tried again after a pause. */
  async #runClocks(now_ms: number): Promise<void> {
    const { sql, worker_id } = this.#ctx;
    const types = this.#listTypes('clock');
    const tried = new Set<string>();
    for (let isMore = true; isMore; ) {
      const limit = BATCH + tried.size + this.#pauses.size;
      const due = await dueTriggers(sql, { worker_id, types, now_ms, limit });
      const fresh = due.filter((trigger) => !tried.has(trigger.id) && this.#pauses.isOver(trigger, now_ms));
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
  async #prepareReading(trigger: HostedTrigger): Promise<Reading | undefined> {
    const receiver = this.#ctx.receivers.get(trigger.type);
    // A neighbouring version of the program may know the type.
    if (receiver?.kind !== trigger.kind) return undefined;
    try {
      return createReading(this.#ctx, trigger, receiver);
    } catch (error) {
      if (!(error instanceof UnreadableSettings)) throw error;
      await this.#fail(trigger, error.message);
      return undefined;
    }
  }

  /** Only a change of its settings can help. */
  async #fail(trigger: HostedTrigger, reason: string): Promise<void> {
    await noteChange(this.#ctx, trigger, { state: 'failing', error: reason, next_due_ms: null });
  }

  async #runDue(trigger: HostedTrigger): Promise<void> {
    const { log } = this.#ctx.services;
    const reading = await this.#prepareReading(trigger);
    if (reading?.receiver.kind !== 'clock') return;
    try {
      await runClock(this.#ctx, { ...reading, receiver: reading.receiver });
      this.#pauses.end(trigger);
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      log.error(
        { err: error, trigger_id: trigger.id, workflow_id: trigger.workflow_id },
        'a schedule failed',
      );
      if (error instanceof UnreadableSettings) await this.#fail(trigger, error.message);
      else {
        this.#pauses.begin(trigger, this.#ctx.services.now());
        await noteChange(this.#ctx, trigger, { state: 'failing', error: reading.describeError(error) });
      }
    }
  }

  async #startPolls(now_ms: number): Promise<void> {
    const { sql, worker_id } = this.#ctx;
    if (this.#polls.size > 0) this.#polls.follow(await this.#loadEpochs('poll'));
    const limit = MOST_POLLS - this.#polls.size;
    if (limit <= 0) return;
    const due = await dueTriggers(sql, {
      worker_id,
      types: this.#listTypes('poll'),
      except: this.#polls.trigger_ids,
      now_ms,
      limit,
    });
    for (const trigger of due) {
      const reading = await this.#prepareReading(trigger);
      if (reading?.receiver.kind !== 'poll') continue;
      const { receiver } = reading;
      this.#polls.begin(trigger, (signal) =>
        runPoll(this.#ctx, { ...reading, receiver }, { signal, room: this.#room }),
      );
    }
  }

  async #loadEpochs(kind: TriggerKind): Promise<ReadonlyMap<string, number>> {
    const { sql, worker_id } = this.#ctx;
    return new Map((await ownTriggers(sql, worker_id, kind)).map(({ id, epoch }) => [id, epoch]));
  }

  /** Ends connections of triggers that changed or moved, begins those that are missing. */
  async #followConnections(): Promise<void> {
    const { sql, worker_id } = this.#ctx;
    const own = await ownTriggers(sql, worker_id, 'connection');
    this.#connections.follow(new Map(own.map(({ id, epoch }) => [id, epoch])));
    for (const trigger of own) {
      // One that ended for good stays, so that it does not begin again, and so does one that cannot be read.
      if (this.#connections.has(trigger.id)) continue;
      const reading = await this.#prepareReading(trigger);
      if (reading?.receiver.kind !== 'connection') {
        this.#connections.begin(trigger, () => Promise.resolve());
        continue;
      }
      const { receiver } = reading;
      this.#connections.begin(trigger, (signal) =>
        keepConnection(this.#ctx, { ...reading, receiver }, { signal, room: this.#room }),
      );
    }
  }
}

export const createTriggerHost = (options: HostOptions): TriggerHost => new Host(options);
