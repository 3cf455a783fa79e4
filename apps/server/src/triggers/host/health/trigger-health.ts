import { HOUR_MS } from '@millrace/engine/units';
import { newOrderedId } from '../../../core/ids.ts';
import type { TriggerState } from '../../../database/schema/index.ts';
import type { HostContext } from '../context.ts';
import type { HostedTrigger } from '../hosted-trigger.ts';

/** The change to a trigger; fields that are absent stay. */
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

const UPDATE = `UPDATE triggers SET
  state_since = CASE WHEN $3::text IS NOT NULL AND $3 <> state THEN now() ELSE state_since END,
  state = coalesce($3, state),
  failures = CASE WHEN NOT $4::boolean THEN failures WHEN $5::text IS NULL THEN 0 ELSE failures + 1 END,
  last_error = CASE WHEN $4 AND $5 IS NOT NULL THEN $5 ELSE last_error END,
  last_error_at = CASE WHEN $4 AND $5 IS NOT NULL THEN now() ELSE last_error_at END,
  cursor = CASE WHEN $6::boolean THEN $7 ELSE cursor END,
  next_due_at = CASE WHEN $8::boolean THEN to_timestamp($9::float8 / 1000) ELSE next_due_at END,
  armed_at = CASE WHEN $10::boolean THEN coalesce(armed_at, now()) ELSE armed_at END
  WHERE id = $1 AND epoch = $2`;

/** The first failure since it last worked becomes an event in the same statement, for which the error workflow is due. */
const UPDATE_AND_TELL = `WITH noted AS (${UPDATE} RETURNING failures),
reported AS (
  INSERT INTO platform_events (id, name, owner_id, workflow_id, payload, dedupe_key, created_at, error_run_due)
  SELECT $11::uuid, 'trigger.failing', $12::uuid, $13::uuid, $14::text, $15::text, $16::timestamptz, true
  FROM noted JOIN users ON users.id = $12::uuid WHERE noted.failures = 1
  ON CONFLICT (dedupe_key) DO NOTHING)
SELECT failures FROM noted`;

/** A trigger that alternates between failing and working is reported once within that time. */
const REPORTED_EVERY_MS = HOUR_MS;

function failingEvent(trigger: HostedTrigger, error: string, at_ms: number): unknown[] {
  const { id, workflow_id, node_id, type, owner_id } = trigger;
  const at = new Date(at_ms).toISOString();
  const payload = { workflow_id, node_id, type, owner_id, error, failed_at: at };
  const dedupe_key = `trigger.failing:${id}:${Math.floor(at_ms / REPORTED_EVERY_MS)}`;
  return [newOrderedId(at_ms), owner_id, workflow_id, JSON.stringify(payload), dedupe_key, at];
}

type HealthContext = Pick<HostContext, 'sql'> & { readonly services: Pick<HostContext['services'], 'now'> };

/** Written by the host alone. @returns false when it is not the host any more, or the trigger has changed */
export async function noteChange(
  { sql, services }: HealthContext,
  trigger: HostedTrigger,
  change: TriggerChange,
): Promise<boolean> {
  const { state, cursor, next_due_ms } = change;
  const error = typeof change.error === 'string' ? change.error.slice(0, MOST_TEXT) : change.error;
  const values = [
    trigger.id,
    trigger.epoch,
    state ?? null,
    error !== undefined,
    error ?? null,
    cursor !== undefined,
    cursor === undefined ? null : JSON.stringify(cursor),
    next_due_ms !== undefined,
    next_due_ms ?? null,
    change.armed ?? false,
  ];
  const { row_count } = await sql.query(
    typeof error === 'string'
      ? {
          name: 'note_failing_trigger',
          text: UPDATE_AND_TELL,
          values: [...values, ...failingEvent(trigger, error, services.now())],
        }
      : { name: 'note_trigger', text: UPDATE, values },
  );
  return row_count > 0;
}

/** Stores the state of a trigger while it works: what cannot be stored is logged and stops nothing. Never rejects. */
export async function tellChange(
  { sql, services }: Pick<HostContext, 'sql' | 'services'>,
  trigger: HostedTrigger,
  change: TriggerChange,
): Promise<void> {
  try {
    await noteChange({ sql, services }, trigger, change);
  } catch (error) {
    services.log.warn({ err: error, trigger_id: trigger.id }, 'the state of a trigger could not be stored');
  }
}
