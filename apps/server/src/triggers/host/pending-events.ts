import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { PlatformEvent } from '@millrace/nodes/runtime';
import type { SqlClient } from '../../database/sql-client.ts';

/** Events that were published longer ago are not dispatched any more (§6.2, §8.3). */
const WINDOW_MS = 5 * 60_000;
/** Events of one run, so that its input stays readable; what is left follows at once in another. */
export const MOST_EVENTS = 1_000;

/** The events that a trigger subscribes to. */
export interface Subscription {
  readonly trigger_id: string;
  /** Epoch milliseconds; what happened up to then is not for it. */
  readonly since_ms: number;
  /** Empty: every event except those of runs. */
  readonly names: readonly string[];
}

/** Whether an event `e` is for a subscription: of its owner or of all, with one of its names, and not about itself. */
const isFor = (owner: string, workflow: string): string =>
  `(e.owner_id IS NULL OR e.owner_id = ${owner}.owner_id)
    AND (s.names::jsonb ? e.name OR (s.names = '[]' AND e.name NOT LIKE 'run.%'))
    AND (e.workflow_id IS DISTINCT FROM ${workflow}.workflow_id OR e.name NOT LIKE ALL (ARRAY['run.%', 'custom.%']))`;

/** Events `e` that a subscription `s` has not received yet: those received are named by the causes of its runs. */
const PENDING = `FROM unnest($1::uuid[], $2::float8[], $3::text[]) AS s(trigger_id, since_ms, names)
  JOIN triggers t ON t.id = s.trigger_id JOIN workflows w ON w.id = t.workflow_id
  JOIN platform_events e ON e.created_at > to_timestamp(greatest(s.since_ms, $4::float8) / 1000)
    AND ${isFor('w', 't')}
  WHERE NOT EXISTS (SELECT 1 FROM trigger_causes k
    WHERE k.workflow_id = t.workflow_id AND k.node_id = t.node_id AND k.cause = e.id::text)`;

const toValues = (subscriptions: readonly Subscription[], now_ms: number) => [
  subscriptions.map(({ trigger_id }) => trigger_id),
  subscriptions.map(({ since_ms }) => since_ms),
  subscriptions.map(({ names }) => JSON.stringify(names)),
  now_ms - WINDOW_MS,
];

/** The triggers, of those given, that an event waits for. */
export async function triggersWithEvents(
  sql: SqlClient,
  subscriptions: readonly Subscription[],
  now_ms: number,
): Promise<ReadonlySet<string>> {
  if (subscriptions.length === 0) return new Set();
  const { rows } = await sql.query<{ trigger_id: string }>({
    name: 'triggers_with_events',
    text: `SELECT DISTINCT s.trigger_id ${PENDING}`,
    values: toValues(subscriptions, now_ms),
  });
  return new Set(rows.map(({ trigger_id }) => trigger_id));
}

interface EventRow {
  readonly id: string;
  readonly name: string;
  readonly payload: string;
  readonly workflow_id: string | null;
  readonly at_ms: number;
}

/** Events that a trigger has not received yet, oldest first. */
export async function pendingEvents(
  sql: SqlClient,
  subscription: Subscription,
  now_ms: number,
): Promise<PlatformEvent[]> {
  const { rows } = await sql.query<EventRow>({
    name: 'pending_events',
    text: `SELECT e.id, e.name, e.payload, e.workflow_id, (extract(epoch FROM e.created_at) * 1000)::float8 AS at_ms
      ${PENDING} ORDER BY e.created_at, e.id LIMIT ${MOST_EVENTS}`,
    values: toValues([subscription], now_ms),
  });
  return rows.map(toEvent);
}

const toEvent = ({ at_ms, payload, ...event }: EventRow): PlatformEvent => ({
  ...event,
  payload: JSON.parse(payload) as JsonObject,
  created_at: new Date(at_ms).toISOString(),
});

/** Events for a node that is not published, of a workflow and its owner, after that moment; oldest first. */
export async function eventsAfter(
  sql: SqlClient,
  { workflow_id, owner_id }: { readonly workflow_id: string; readonly owner_id: string },
  { since_ms, names }: Pick<Subscription, 'since_ms' | 'names'>,
): Promise<PlatformEvent[]> {
  const { rows } = await sql.query<EventRow>({
    text: `SELECT e.id, e.name, e.payload, e.workflow_id, (extract(epoch FROM e.created_at) * 1000)::float8 AS at_ms
      FROM (SELECT $1::uuid AS workflow_id, $2::uuid AS owner_id, $3::float8 AS since_ms, $4::text AS names) s
      JOIN platform_events e ON e.created_at > to_timestamp(s.since_ms / 1000) AND ${isFor('s', 's')}
      ORDER BY e.created_at, e.id LIMIT ${MOST_EVENTS}`,
    values: [workflow_id, owner_id, since_ms, JSON.stringify(names)],
  });
  return rows.map(toEvent);
}

/** Where a subscription begins, as the cursor of its trigger. */
export const toCursor = (since_ms: number): Json => ({ since_ms });

export function readSince(cursor: Json): number | undefined {
  const since_ms = isJsonObject(cursor) && cursor['since_ms'];
  return typeof since_ms === 'number' ? since_ms : undefined;
}
