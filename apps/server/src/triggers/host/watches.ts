import type { SqlClient } from '../../database/sql-client.ts';
import type { HostContext, Reading } from './context.ts';
import { type HostedTrigger, ownTriggers } from './hosted-trigger.ts';
import { Sessions } from './sessions.ts';

export interface WatchOptions {
  readonly ctx: HostContext;
  readonly prepareReading: (trigger: HostedTrigger) => Promise<Reading | undefined>;
}

const LOOK_EVERY_MS = 2_000;
/** Sources that are watched at the same time; the rest is only polled. */
const MOST_WATCHES = 500;
/** When to check again whether a source supports watching. */
const UNABLE_MS = 60 * 60_000;
const FAILED_MS = 60_000;

async function makeDue(sql: SqlClient, { id, epoch }: HostedTrigger, now_ms: number): Promise<void> {
  await sql.query({
    name: 'make_trigger_due',
    text: `UPDATE triggers SET next_due_at = to_timestamp($3::float8 / 1000)
      WHERE id = $1 AND epoch = $2 AND active AND next_due_at > to_timestamp($3::float8 / 1000)`,
    values: [id, epoch, now_ms],
  });
}

/** Watches sources that can announce new events between polls. */
export class Watches {
  readonly #options: WatchOptions;
  readonly #sessions: Sessions;
  /** Trigger id to the time until which its source is only polled. */
  readonly #resting = new Map<string, number>();
  #looked_at_ms = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#sessions = new Sessions({ log: options.ctx.services.log, once: false });
  }

  #types(): string[] {
    const types: string[] = [];
    for (const [type, receiver] of this.#options.ctx.receivers)
      if (receiver.kind === 'poll' && receiver.watch) types.push(type);
    return types;
  }

  /** @param isPolled whether a trigger is being polled */
  async look(now_ms: number, isPolled: (trigger_id: string) => boolean): Promise<void> {
    const types = this.#types();
    if (types.length === 0 || now_ms - this.#looked_at_ms < LOOK_EVERY_MS) return;
    this.#looked_at_ms = now_ms;
    const { sql, worker_id } = this.#options.ctx;
    const own = (await ownTriggers(sql, worker_id, 'poll')).filter(({ type }) => types.includes(type));
    this.#sessions.follow(new Map(own.map(({ id, epoch }) => [id, epoch])));
    const known = new Set(own.map(({ id }) => id));
    for (const [id, until_ms] of this.#resting)
      if (until_ms <= now_ms || !known.has(id)) this.#resting.delete(id);
    for (const trigger of own) {
      if (this.#sessions.size >= MOST_WATCHES) return;
      const { id, cursor, failures, next_due_ms } = trigger;
      const isQuiet = cursor !== null && failures === 0 && next_due_ms !== null && next_due_ms > now_ms;
      if (isQuiet && !isPolled(id) && !this.#sessions.has(id) && !this.#resting.has(id))
        await this.#begin(trigger);
    }
  }

  async #begin(trigger: HostedTrigger): Promise<void> {
    const reading = await this.#options.prepareReading(trigger);
    if (reading?.receiver.kind !== 'poll' || !reading.receiver.watch) return;
    const { watch } = reading.receiver;
    const { call } = reading;
    this.#sessions.begin(trigger, (signal) =>
      this.#watch(trigger, signal, () => watch({ ...call, cursor: trigger.cursor, signal })),
    );
  }

  async #watch(
    trigger: HostedTrigger,
    signal: AbortSignal,
    watch: () => Promise<'news' | 'unable'>,
  ): Promise<void> {
    const { sql, services } = this.#options.ctx;
    const rest = (ms: number) => this.#resting.set(trigger.id, services.now() + ms);
    try {
      if ((await watch()) === 'news') await makeDue(sql, trigger, services.now());
      else rest(UNABLE_MS);
    } catch (error) {
      if (signal.aborted) return;
      // The poll reports what is wrong with the source.
      services.log.warn({ err: error, trigger_id: trigger.id }, 'a source could not be watched');
      rest(FAILED_MS);
    }
  }

  stop(within_ms: number): Promise<void> {
    return this.#sessions.stop(within_ms);
  }
}
