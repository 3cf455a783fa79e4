import type { TriggerState } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { HostContext } from './context.ts';
import type { HostedTrigger } from './hosted-trigger.ts';

/** What becomes of a trigger; what is absent stays. */
export interface TriggerChange {
  readonly state?: TriggerState;
  /** A sentence for the owner; null: it works again. */
  readonly error?: string | null;
  readonly cursor?: unknown;
  /** Epoch milliseconds; null: never. */
  readonly next_due_ms?: number | null;
  /** Counts from now on. */
  readonly armed?: true;
}

const MOST_TEXT = 1_000;

/** Written by the host alone. @returns false when it is not the host any more, or the trigger has changed */
export async function noteChange(
  sql: SqlClient,
  { id, epoch }: Pick<HostedTrigger, 'id' | 'epoch'>,
  change: TriggerChange,
): Promise<boolean> {
  const { state, error, cursor, next_due_ms } = change;
  const { row_count } = await sql.query({
    name: 'note_trigger',
    text: `UPDATE triggers SET
      state_since = CASE WHEN $3::text IS NOT NULL AND $3 <> state THEN now() ELSE state_since END,
      state = coalesce($3, state),
      failures = CASE WHEN NOT $4::boolean THEN failures WHEN $5::text IS NULL THEN 0 ELSE failures + 1 END,
      last_error = CASE WHEN $4 AND $5 IS NOT NULL THEN $5 ELSE last_error END,
      last_error_at = CASE WHEN $4 AND $5 IS NOT NULL THEN now() ELSE last_error_at END,
      cursor = CASE WHEN $6::boolean THEN $7 ELSE cursor END,
      next_due_at = CASE WHEN $8::boolean THEN to_timestamp($9::float8 / 1000) ELSE next_due_at END,
      armed_at = CASE WHEN $10::boolean THEN coalesce(armed_at, now()) ELSE armed_at END
      WHERE id = $1 AND epoch = $2`,
    values: [
      id,
      epoch,
      state ?? null,
      error !== undefined,
      error?.slice(0, MOST_TEXT) ?? null,
      cursor !== undefined,
      cursor === undefined ? null : JSON.stringify(cursor),
      next_due_ms !== undefined,
      next_due_ms ?? null,
      change.armed ?? false,
    ],
  });
  return row_count > 0;
}

/** How a trigger stands is told while it works: what cannot be stored is logged and stops nothing. Never rejects. */
export async function tellChange(
  { sql, services }: Pick<HostContext, 'sql' | 'services'>,
  trigger: Pick<HostedTrigger, 'id' | 'epoch'>,
  change: TriggerChange,
): Promise<void> {
  try {
    await noteChange(sql, trigger, change);
  } catch (error) {
    services.log.warn({ err: error, trigger_id: trigger.id }, 'the state of a trigger could not be stored');
  }
}
