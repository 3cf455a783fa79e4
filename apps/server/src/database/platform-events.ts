import type { JsonObject } from '@millrace/engine';
import type { OwnEvent, PlatformEventName, PublishedEvent } from '@millrace/nodes/runtime';
import type { Actor } from '../core/actor.ts';
import { newOrderedId } from '../core/ids.ts';
import type { Db } from './database.ts';
import type { SqlClient } from './sql-client.ts';
import { sqlWithin } from './sql-within.ts';

export interface NewPlatformEvent {
  readonly name: PlatformEventName;
  /** Delivered to the workflows of this person only; null: to all. */
  readonly owner_id: string | null;
  readonly workflow_id: string | null;
  readonly payload: JsonObject;
  /** Events with the same key are one. */
  readonly dedupe_key: string;
  readonly at: Date;
}

const COLUMNS = 'id, name, owner_id, workflow_id, payload, dedupe_key, created_at';
const VALUES = '$1::uuid, $2::text, $3::uuid, $4::uuid, $5::text, $6::text, $7::timestamptz';
const toValues = ({
  name,
  owner_id,
  workflow_id,
  payload,
  dedupe_key,
  at,
}: NewOwnEvent | NewPlatformEvent) => [
  newOrderedId(at.getTime()),
  name,
  owner_id,
  workflow_id,
  JSON.stringify(payload),
  dedupe_key,
  at.toISOString(),
];

/** Stores an event for workflows. `tx` is the transaction of the change, so that neither is stored without the other. */
export async function insertEvent(tx: SqlClient, event: NewPlatformEvent): Promise<void> {
  await tx.query({
    // A person who was removed meanwhile is no reason to refuse the change.
    text: `INSERT INTO platform_events (${COLUMNS}) SELECT ${VALUES}
      WHERE $3::uuid IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $3::uuid)
      ON CONFLICT (dedupe_key) DO NOTHING`,
    values: toValues(event),
  });
}

/** The same in a transaction of the query builder. */
export const publishEvent = (db: Db, event: NewPlatformEvent): Promise<void> =>
  insertEvent(sqlWithin(db), event);

export interface NewOwnEvent extends OwnEvent {
  readonly owner_id: string;
  /** Whose run publishes it; null: a person does. */
  readonly workflow_id: string | null;
  readonly dedupe_key: string;
  readonly at: Date;
}

export interface StoredOwnEvent {
  readonly event: PublishedEvent;
  /** It was there already. */
  readonly repeated: boolean;
  /** Whether the event that was there is the one that is published now. */
  readonly is_same: boolean;
}

interface StoredRow {
  readonly id: string;
  readonly name: string;
  readonly at_ms: number;
  readonly is_new: boolean;
  readonly is_same: boolean;
}

/** Stores what a person or a run publishes, or finds what they published with the same key. */
export async function storeOwnEvent(sql: SqlClient, event: NewOwnEvent): Promise<StoredOwnEvent> {
  const values = toValues(event);
  const columns = 'id, name, (extract(epoch FROM created_at) * 1000)::float8 AS at_ms';
  // The second look finds what another process stored while the first one was under way.
  for (let looks = 0; looks < 2; looks++) {
    const { rows } = await sql.query<StoredRow>({
      text: `WITH stored AS (
          INSERT INTO platform_events (${COLUMNS}) VALUES (${VALUES})
          ON CONFLICT (dedupe_key) DO NOTHING RETURNING ${columns})
        SELECT *, true AS is_new, true AS is_same FROM stored
        UNION ALL SELECT ${columns}, false, name = $2 AND payload = $5 FROM platform_events WHERE dedupe_key = $6`,
      values,
    });
    const [row] = rows;
    if (!row) continue;
    const { id, at_ms, is_new, is_same } = row;
    return {
      event: { id, name: row.name, created_at: new Date(at_ms).toISOString() },
      repeated: !is_new,
      is_same,
    };
  }
  throw new Error('an event was neither stored nor found');
}

interface WorkflowSubject {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
}

export function workflowEvent(
  name: Extract<PlatformEventName, `workflow.${string}`>,
  { id, owner_id, ...subject }: WorkflowSubject,
  { actor, at }: { actor?: Pick<Actor, 'user_id'>; at: Date },
): NewPlatformEvent {
  const updated_at = at.toISOString();
  const actor_user_id = actor?.user_id ?? null;
  return {
    name,
    owner_id,
    workflow_id: id,
    payload: { workflow_id: id, name: subject.name, owner_id, actor_user_id, updated_at },
    // A workflow is created and deleted once.
    dedupe_key: name === 'workflow.updated' ? `${name}:${id}:${updated_at}` : `${name}:${id}`,
    at,
  };
}
