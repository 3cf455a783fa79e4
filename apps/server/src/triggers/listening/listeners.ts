import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@millrace/engine';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { RunSecrets } from '../../ports/run/run-secrets.ts';
import type { HostedTrigger } from '../host/hosted-trigger.ts';
import { type TriggerOfDraft, unhosted } from './draft-trigger.ts';

/** @returns the token of the test address, 32 random bytes: anyone who has it may deliver */
export async function openListener(
  sql: SqlClient,
  { id, workflow_id, node_id, type, settings }: HostedTrigger,
  expires_at_ms: number,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await sql.query({
    text: `INSERT INTO webhook_listeners (id, workflow_id, node_id, type, settings, token_hash, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000))`,
    values: [id, workflow_id, node_id, type, JSON.stringify(settings), tokenDigest(token), expires_at_ms],
  });
  return token;
}

interface ListenerRow extends Omit<TriggerOfDraft, 'settings'> {
  readonly id: string;
  readonly settings: string;
}

/** The trigger that a test address is of; undefined when no user waits for a delivery any more. */
export async function listenedTrigger(
  sql: SqlClient,
  token: string,
  now_ms: number,
): Promise<HostedTrigger | undefined> {
  const { rows } = await sql.query<ListenerRow>({
    text: `SELECT l.id, l.workflow_id, w.owner_id, l.node_id, l.type, l.settings
      FROM webhook_listeners l JOIN workflows w ON w.id = l.workflow_id
      WHERE l.token_hash = $1 AND l.event IS NULL AND l.expires_at > to_timestamp($2::float8 / 1000)`,
    values: [tokenDigest(token), now_ms],
  });
  const [row] = rows;
  return (
    row && unhosted({ ...row, settings: JSON.parse(row.settings) as JsonObject, kind: 'webhook' }, row.id)
  );
}

/** Leaves an event for the user who waits. False when there was one already, or the user has left. */
export async function leaveEvent(
  sql: SqlClient,
  run_secrets: Pick<RunSecrets, 'seal'>,
  { id, input }: { readonly id: string; readonly input: JsonObject },
): Promise<boolean> {
  const { row_count } = await sql.query({
    text: 'UPDATE webhook_listeners SET event = $2 WHERE id = $1 AND event IS NULL',
    values: [id, run_secrets.seal(JSON.stringify(input))],
  });
  return row_count > 0;
}

/** The event that was left; undefined while there is none. */
export async function leftEvent(
  sql: SqlClient,
  run_secrets: Pick<RunSecrets, 'open'>,
  id: string,
): Promise<JsonObject | undefined> {
  const { rows } = await sql.query<{ event: string | null }>({
    name: 'left_event',
    text: 'SELECT event FROM webhook_listeners WHERE id = $1',
    values: [id],
  });
  const sealed = rows[0]?.event;
  const text = sealed ? run_secrets.open(sealed) : undefined;
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
}

export async function closeListener(sql: SqlClient, id: string): Promise<void> {
  await sql.query({ text: 'DELETE FROM webhook_listeners WHERE id = $1', values: [id] });
}

/** Those whose process was lost before it removed them. Returns how many there were. */
export async function purgeListeners(sql: SqlClient, now_ms: number): Promise<number> {
  const { row_count } = await sql.query({
    text: 'DELETE FROM webhook_listeners WHERE expires_at < to_timestamp($1::float8 / 1000)',
    values: [now_ms],
  });
  return row_count;
}
