import { createHash } from 'node:crypto';
import type { JsonObject } from '@millrace/engine';
import { MINUTE_MS } from '@millrace/engine/units';
import { newOrderedId } from '../../core/ids.ts';
import type { RefusalReason } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { storeRefusal } from '../../resources/inbox/refused.ts';
import type { Services } from '../../services.ts';
import type { HostedTrigger } from '../host/hosted-trigger.ts';

/** Deliveries of a trigger that are stored one by one in a minute, by one process; more are counted in one row. Those without content have as many. */
export const KEPT_IN_A_MINUTE = 60;
/** Longest content that is kept, in characters of JSON. */
const MOST_CONTENT = 128 * 1024;
const MOST_MESSAGE = 1_000;
/** Interval at which refusals that are only counted are written. */
const FLUSH_MS = 5_000;

export interface Refusal {
  readonly trigger: Pick<HostedTrigger, 'workflow_id' | 'node_id'>;
  /** Label of its runs. */
  readonly source: string | null;
  readonly reason: RefusalReason;
  readonly message: string;
  /** Present where the sender was verified: it can be sent again. */
  readonly event?: { readonly cause: string; readonly input: JsonObject } | undefined;
}

/** Leaves what a trigger refuses in the inbox. */
export interface Refusals {
  /** False when this minute only counts: what is refused anyway need not be verified then. */
  hasRoom(trigger: Refusal['trigger']): boolean;
  /** Resolves when it is stored or counted. Never rejects: the source gets the refusal either way. */
  note(refusal: Refusal): Promise<void>;
  /** Writes what was only counted so far. */
  flush(): Promise<void>;
}

type Needed = Pick<Services, 'run_secrets' | 'log' | 'now'>;

const toMinute = (at_ms: number) => Math.floor(at_ms / MINUTE_MS);
const buildTriggerKey = ({ workflow_id, node_id }: Refusal['trigger']) => `${workflow_id} ${node_id}`;

/** A refusal without content may come from a sender who cannot sign, and takes no place of one that can be sent again. */
const buildPlaceKey = ({ trigger, hasContent }: Pick<Refusal, 'trigger'> & { hasContent: boolean }): string =>
  `${buildTriggerKey(trigger)} ${hasContent}`;

/** The same message of a queue that is refused again and again is one entry. */
const causeOfPoison = (message: string) =>
  `poison:${createHash('sha256').update(message).digest('hex').slice(0, 32)}`;

class RefusalLog implements Refusals {
  readonly #services: Needed;
  readonly #sql: SqlClient;
  #minute = 0;
  readonly #kept = new Map<string, number>();
  readonly #counted = new Map<string, { readonly refusal: Refusal; count: number }>();
  #flushed = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(services: Needed, sql: SqlClient) {
    this.#services = services;
    this.#sql = sql;
  }

  #countKept(key: string): number {
    const current = toMinute(this.#services.now());
    if (current !== this.#minute) this.#kept.clear();
    this.#minute = current;
    return this.#kept.get(key) ?? 0;
  }

  async #store({ trigger, source, reason, message, event }: Refusal, count: number): Promise<void> {
    const { run_secrets, log, now } = this.#services;
    const at_ms = now();
    const content = event && JSON.stringify(event.input);
    const isKept = content !== undefined && content.length <= MOST_CONTENT;
    const countsOnly = `${reason}:${toMinute(at_ms)}`;
    const cause = event?.cause ?? (reason === 'poison' && count === 1 ? causeOfPoison(message) : countsOnly);
    try {
      await storeRefusal(this.#sql, {
        id: newOrderedId(at_ms),
        workflow_id: trigger.workflow_id,
        node_id: trigger.node_id,
        source,
        reason,
        message: message.slice(0, MOST_MESSAGE),
        cause,
        input: isKept ? run_secrets.seal(content) : null,
        count,
        at_ms,
      });
    } catch (error) {
      const { workflow_id, node_id } = trigger;
      log.warn({ err: error, workflow_id, node_id, reason }, 'a refused delivery is missing in the inbox');
    }
  }

  #countOnly(refusal: Refusal): void {
    const key = `${buildTriggerKey(refusal.trigger)} ${refusal.reason}`;
    const known = this.#counted.get(key);
    if (known) known.count += 1;
    else this.#counted.set(key, { refusal: { ...refusal, event: undefined }, count: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  hasRoom(trigger: Refusal['trigger']): boolean {
    return this.#countKept(buildPlaceKey({ trigger, hasContent: true })) < KEPT_IN_A_MINUTE;
  }

  async note(refusal: Refusal): Promise<void> {
    const place = buildPlaceKey({ trigger: refusal.trigger, hasContent: refusal.event !== undefined });
    const count = this.#countKept(place);
    if (count >= KEPT_IN_A_MINUTE) {
      this.#countOnly(refusal);
      return;
    }
    this.#kept.set(place, count + 1);
    await this.#store(refusal, 1);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = [...this.#counted.values()];
    this.#counted.clear();
    // After what an earlier call still writes: at a stop nothing may be under way.
    this.#flushed = this.#flushed.then(async () => {
      for (const { refusal, count } of waiting) await this.#store(refusal, count);
    });
    await this.#flushed;
  }
}

export const createRefusals = (services: Needed, sql: SqlClient): Refusals => new RefusalLog(services, sql);
