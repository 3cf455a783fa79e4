import type { Json, JsonObject, TriggerKind } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';

/** A trigger as its host has read it. */
export interface HostedTrigger {
  readonly id: string;
  readonly workflow_id: string;
  readonly owner_id: string;
  readonly node_id: string;
  readonly type: string;
  readonly kind: TriggerKind;
  readonly settings: JsonObject;
  readonly cursor: Json;
  /** Epoch milliseconds. */
  readonly next_due_ms: number | null;
  readonly is_armed: boolean;
  /** Operations based on a row read at another epoch are refused. */
  readonly epoch: number;
  readonly failures: number;
}

interface TriggerRow extends Omit<HostedTrigger, 'settings' | 'cursor' | 'epoch'> {
  readonly settings: string;
  readonly cursor: string | null;
  readonly epoch: string | number;
}

/** Columns of `t`, and of its workflow `w`. */
const COLUMNS = `t.id, t.workflow_id, w.owner_id, t.node_id, t.type, t.kind, t.settings, t.cursor, t.epoch, t.failures,
  (extract(epoch FROM t.next_due_at) * 1000)::float8 AS next_due_ms, t.armed_at IS NOT NULL AS is_armed`;
/** A workflow that waits for its deletion fires nothing. */
const SOURCE = 'triggers t JOIN workflows w ON w.id = t.workflow_id AND w.scheduled_for_deletion IS NULL';

const toTrigger = (row: TriggerRow): HostedTrigger => ({
  ...row,
  epoch: Number(row.epoch),
  settings: JSON.parse(row.settings) as JsonObject,
  cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as Json),
});

export interface DueQuery {
  readonly worker_id: string;
  /** Types that this process knows. Those of a neighbouring version stay due and must not fill the limit. */
  readonly types: readonly string[];
  /** Triggers that are worked on, and stay due until that is done. */
  readonly except?: readonly string[];
  readonly now_ms: number;
  readonly limit: number;
}

/** Triggers of a process whose time has come, the most overdue first. */
export async function dueTriggers(sql: SqlClient, query: DueQuery): Promise<HostedTrigger[]> {
  const { rows } = await sql.query<TriggerRow>({
    name: 'due_triggers',
    text: `SELECT ${COLUMNS} FROM ${SOURCE} WHERE t.owner = $1 AND t.active AND t.type = ANY($2)
      AND t.next_due_at <= to_timestamp($3::float8 / 1000) AND t.id <> ALL($4::uuid[]) ORDER BY t.next_due_at LIMIT $5`,
    values: [query.worker_id, query.types, query.now_ms, query.except ?? [], query.limit],
  });
  return rows.map(toTrigger);
}

/** When the next trigger of a process is due, as epoch milliseconds; undefined: none that is known. */
export async function nextDue(
  sql: SqlClient,
  worker_id: string,
  after_ms: number,
): Promise<number | undefined> {
  const { rows } = await sql.query<{ at: number | null }>({
    name: 'next_due_trigger',
    text: `SELECT (extract(epoch FROM min(next_due_at)) * 1000)::float8 AS at FROM triggers
      WHERE owner = $1 AND active AND next_due_at > to_timestamp($2::float8 / 1000)`,
    values: [worker_id, after_ms],
  });
  return rows[0]?.at ?? undefined;
}

/** The trigger that an address leads to of a type; an installation has one at most. */
export async function triggerAt(
  sql: SqlClient,
  node_id: string,
  types: readonly string[],
): Promise<(HostedTrigger & { readonly is_active: boolean }) | undefined> {
  const { rows } = await sql.query<TriggerRow & { is_active: boolean }>({
    name: 'trigger_at',
    text: `SELECT ${COLUMNS}, t.active AS is_active FROM ${SOURCE}
      WHERE t.node_id = $1 AND t.kind = 'webhook' AND t.type = ANY($2)`,
    values: [node_id, types],
  });
  const [row] = rows;
  return row && { ...toTrigger(row), is_active: row.is_active };
}

/** The trigger of a workflow's node; undefined where there is none, or the workflow waits for deletion. */
export async function triggerOfNode(
  sql: SqlClient,
  workflow_id: string,
  node_id: string,
): Promise<HostedTrigger | undefined> {
  const { rows } = await sql.query<TriggerRow>({
    text: `SELECT ${COLUMNS} FROM ${SOURCE} WHERE t.workflow_id = $1 AND t.node_id = $2`,
    values: [workflow_id, node_id],
  });
  return rows[0] && toTrigger(rows[0]);
}

/** Every active trigger of a process of one kind. */
export async function ownTriggers(
  sql: SqlClient,
  worker_id: string,
  kind: TriggerKind,
): Promise<HostedTrigger[]> {
  const { rows } = await sql.query<TriggerRow>({
    name: 'own_triggers',
    text: `SELECT ${COLUMNS} FROM ${SOURCE} WHERE t.owner = $1 AND t.active AND t.kind = $2 ORDER BY t.id`,
    values: [worker_id, kind],
  });
  return rows.map(toTrigger);
}
