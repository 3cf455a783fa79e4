import { setTimeout as pause } from 'node:timers/promises';
import type { EventReceiver } from '@millrace/nodes/runtime';
import type { HostContext, Reading } from './context.ts';
import { noteChange, type TriggerChange, tellChange } from './health/trigger-health.ts';
import { type HostedTrigger, ownTriggers } from './hosted-trigger.ts';
import {
  MOST_EVENTS,
  pendingEvents,
  readSince,
  type Subscription,
  toCursor,
  triggersWithEvents,
} from './pending-events.ts';
import { LOOK_EVERY_MS as LOOK_FOR_ROOM_MS, type Room } from './room.ts';
import { withinTime } from './sessions.ts';

type AnyEvents = EventReceiver<Readonly<Record<string, unknown>>>;
type EventReading = Reading<AnyEvents>;

/** §8.3. */
const LOOK_EVERY_MS = 5_000;

interface Pass {
  readonly epoch: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

interface Subscriber {
  readonly reading: EventReading;
  readonly subscription: Subscription;
}

export interface DispatcherOptions {
  readonly ctx: HostContext;
  readonly room: Room;
  /** Undefined when the trigger cannot be hosted here; the row says why. */
  readonly prepareReading: (trigger: HostedTrigger) => Promise<Reading | undefined>;
}

/** Passes events of the service to the triggers of this process. */
export class EventDispatcher {
  readonly #options: DispatcherOptions;
  readonly #passes = new Map<string, Pass>();
  /** Epochs of triggers that cannot be read: only a change can help. */
  readonly #unreadable = new Map<string, number>();
  #next_ms = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Checks the log when it is due. Passes that it starts continue in the background. */
  async look(now_ms: number): Promise<void> {
    const rest_ms = this.#next_ms - now_ms;
    // More than that is left where the clock was set back.
    if (rest_ms > 0 && rest_ms <= LOOK_EVERY_MS) return;
    const { sql, worker_id } = this.#options.ctx;
    const own = await ownTriggers(sql, worker_id, 'event');
    const epochs = new Map(own.map(({ id, epoch }) => [id, epoch]));
    for (const [id, { epoch, controller }] of this.#passes) if (epochs.get(id) !== epoch) controller.abort();
    for (const [id, epoch] of this.#unreadable) if (epochs.get(id) !== epoch) this.#unreadable.delete(id);
    const subscribers: Subscriber[] = [];
    for (const trigger of own) {
      const subscriber = await this.#createSubscriber(trigger);
      if (subscriber) subscribers.push(subscriber);
    }
    const subscriptions = subscribers.map(({ subscription }) => subscription);
    const told = await triggersWithEvents(sql, subscriptions, now_ms);
    for (const subscriber of subscribers)
      if (told.has(subscriber.subscription.trigger_id)) this.#begin(subscriber);
    this.#next_ms = now_ms + LOOK_EVERY_MS;
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#passes.values()].map(({ ended }) => ended));
  }

  /** Ends all passes; those that have not ended after the time are left behind. */
  async stop(within_ms: number): Promise<void> {
    for (const { controller } of this.#passes.values()) controller.abort();
    await withinTime(this.settled(), within_ms);
    if (this.#passes.size > 0)
      this.#options.ctx.services.log.warn(
        { triggers: [...this.#passes.keys()] },
        'events were still being delivered when the process stopped',
      );
  }

  async #createSubscriber(trigger: HostedTrigger): Promise<Subscriber | undefined> {
    if (this.#unreadable.has(trigger.id) || this.#passes.has(trigger.id)) return undefined;
    const reading = await this.#options.prepareReading(trigger);
    if (reading?.receiver.kind !== 'event') {
      this.#unreadable.set(trigger.id, trigger.epoch);
      return undefined;
    }
    const { receiver } = reading;
    const since_ms = readSince(trigger.cursor) ?? trigger.next_due_ms ?? this.#options.ctx.services.now();
    if (!trigger.is_armed) {
      const change = { armed: true, state: 'armed', error: null, next_due_ms: null } as const;
      const cursor = toCursor(since_ms);
      if (!(await noteChange(this.#options.ctx, trigger, { ...change, cursor }))) return undefined;
    }
    return {
      reading: { ...reading, receiver },
      subscription: { trigger_id: trigger.id, since_ms, names: receiver.names(reading.call) },
    };
  }

  #begin(subscriber: Subscriber): void {
    const { id, epoch } = subscriber.reading.trigger;
    const controller = new AbortController();
    const ended = this.#pass(subscriber, controller.signal).finally(() => this.#passes.delete(id));
    this.#passes.set(id, { epoch, controller, ended });
  }

  /** One run for all that is new: each event is a cause of it, so that no other run gets it. */
  async #pass({ reading, subscription }: Subscriber, signal: AbortSignal): Promise<void> {
    const { ctx, room } = this.#options;
    const { sql, services } = ctx;
    const { trigger, receiver, call } = reading;
    const note = (change: TriggerChange) => tellChange(ctx, trigger, change);
    let was_full = false;
    const onFull = () => {
      if (!was_full) void note({ state: 'waiting' });
      was_full = true;
    };
    try {
      for (let isMore = true; isMore; ) {
        await room.wait(trigger.workflow_id, signal, onFull);
        const events = await pendingEvents(sql, subscription, services.now());
        if (events.length === 0) break;
        const causes = events.map(({ id }) => id);
        const outcome = await reading.fire({ causes, input: receiver.input(call, events) });
        if (outcome.kind === 'refused') {
          onFull();
          await pause(LOOK_FOR_ROOM_MS, undefined, { signal });
          continue;
        }
        if (outcome.kind === 'lost') return;
        // After a repetition the next look reads what is left.
        isMore = outcome.kind === 'queued' && events.length === MOST_EVENTS;
      }
      if (was_full || trigger.failures > 0) await note({ state: 'armed', error: null });
    } catch (error) {
      if (signal.aborted) return;
      services.log.warn(
        { err: error, trigger_id: trigger.id },
        'events could not be delivered to a workflow',
      );
      await note({ state: 'failing', error: reading.describeError(error) });
    }
  }
}
