import type { JsonObject } from '@millrace/engine';
import { deleteInSlices } from '../../../database/delete-in-slices.ts';
import type { SqlClient } from '../../../database/sql-client.ts';

/** Whose a conversation is: a person of the portal, or the holder of a visitor token. */
export interface Holder {
  readonly user_id: string | null;
  /** SHA-256 of the visitor token. */
  readonly visitor_hash: string | null;
}

export interface ConversationRow extends Holder {
  readonly id: string;
  readonly title: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly turn_count: number;
  readonly username: string | null;
  readonly visitor_id: string | null;
}

export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

/** Where to look: all conversations of a portal, or those of one visitor. */
export interface Scope {
  readonly workflow_id: string;
  readonly holder?: Holder;
  /** As the owner sees it; see `VISITOR`. */
  readonly visitor_id?: string | undefined;
}

/** Enough of a hash to keep the visitors of one portal apart; it finds nothing that a token would. */
const SHOWN_DIGITS = 12;
const VISITOR = `coalesce(c.user_id::text, left(c.visitor_hash, ${SHOWN_DIGITS}))`;

const COLUMNS = `c.id, c.user_id, c.visitor_hash, ${VISITOR} AS visitor_id, c.title, c.created_at, c.updated_at,
  (SELECT count(*)::int FROM portal_turns t WHERE t.conversation_id = c.id) AS turn_count,
  (SELECT u.username FROM portal_users u WHERE u.id = c.user_id) AS username`;

/** The conversations of one visitor. */
export interface OwnScope {
  readonly workflow_id: string;
  readonly holder: Holder;
}

/** Begins a statement's parameters, so that others follow from the next number on. */
function inScope({ workflow_id, holder, visitor_id }: Scope): { text: string; values: unknown[] } {
  if (visitor_id !== undefined)
    return { text: `c.workflow_id = $1 AND ${VISITOR} = $2`, values: [workflow_id, visitor_id] };
  if (!holder) return { text: 'c.workflow_id = $1', values: [workflow_id] };
  if (holder.user_id !== null)
    return { text: 'c.workflow_id = $1 AND c.user_id = $2', values: [workflow_id, holder.user_id] };
  return { text: 'c.workflow_id = $1 AND c.visitor_hash = $2', values: [workflow_id, holder.visitor_hash] };
}

const HAS_TURNS = 'EXISTS (SELECT 1 FROM portal_turns t WHERE t.conversation_id = c.id)';

export async function listConversations(
  sql: SqlClient,
  scope: Scope,
  { limit, offset }: Paging,
): Promise<{ rows: ConversationRow[]; total: number }> {
  const { text, values } = inScope(scope);
  const next = values.length + 1;
  const [{ rows }, counted] = await Promise.all([
    sql.query<ConversationRow>({
      text: `SELECT ${COLUMNS} FROM portal_conversations c WHERE ${text} AND ${HAS_TURNS}
        ORDER BY c.updated_at DESC, c.id LIMIT $${next} OFFSET $${next + 1}`,
      values: [...values, limit, offset],
    }),
    sql.query<{ total: number }>({
      text: `SELECT count(*)::int AS total FROM portal_conversations c WHERE ${text} AND ${HAS_TURNS}`,
      values,
    }),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export interface VisitorRow {
  readonly visitor_id: string;
  readonly username: string | null;
  readonly conversation_count: number;
  readonly message_count: number;
  readonly first_active_at: Date;
  readonly last_active_at: Date;
  readonly total: number;
}

/** Those who have written, the last active first. */
export async function listVisitors(
  sql: SqlClient,
  workflow_id: string,
  { limit, offset }: Paging,
): Promise<VisitorRow[]> {
  const { rows } = await sql.query<VisitorRow>({
    text: `SELECT visitor_id, (SELECT u.username FROM portal_users u WHERE u.id = max(user_id::text)::uuid) AS username,
        count(*)::int AS conversation_count, sum(messages)::int AS message_count,
        min(created_at) AS first_active_at, max(updated_at) AS last_active_at, (count(*) OVER ())::int AS total
      FROM (SELECT ${VISITOR} AS visitor_id, c.user_id, c.created_at, c.updated_at,
          (SELECT count(*) FROM portal_turns t WHERE t.conversation_id = c.id) AS messages
        FROM portal_conversations c WHERE c.workflow_id = $1 AND ${HAS_TURNS}) conversations
      GROUP BY visitor_id ORDER BY max(updated_at) DESC, visitor_id LIMIT $2 OFFSET $3`,
    values: [workflow_id, limit, offset],
  });
  return rows;
}

export interface DayOfMessages {
  readonly date: string;
  readonly messages: number;
}

/** Messages of each day (UTC), and how many visitors wrote them. */
export async function countMessages(
  sql: SqlClient,
  workflow_id: string,
  from: Date,
): Promise<{ days: DayOfMessages[]; visitors: number }> {
  const { rows } = await sql.query<DayOfMessages & { visitors: number }>({
    text: `WITH written AS (
        SELECT to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, ${VISITOR} AS visitor_id
        FROM portal_turns t JOIN portal_conversations c ON c.id = t.conversation_id
        WHERE c.workflow_id = $1 AND c.updated_at >= $2 AND t.created_at >= $2)
      SELECT date, count(*)::int AS messages,
        (SELECT count(DISTINCT visitor_id)::int FROM written) AS visitors FROM written GROUP BY date`,
    values: [workflow_id, from.toISOString()],
  });
  return { days: rows.map(({ date, messages }) => ({ date, messages })), visitors: rows[0]?.visitors ?? 0 };
}

export async function findConversation(
  sql: SqlClient,
  scope: Scope,
  id: string,
): Promise<ConversationRow | undefined> {
  const { text, values } = inScope(scope);
  const { rows } = await sql.query<ConversationRow>({
    text: `SELECT ${COLUMNS} FROM portal_conversations c WHERE ${text} AND c.id = $${values.length + 1}`,
    values: [...values, id],
  });
  return rows[0];
}

export async function insertConversation(
  sql: SqlClient,
  { id, workflow_id, holder, at }: OwnScope & { id: string; at: Date },
): Promise<void> {
  await sql.query({
    text: `INSERT INTO portal_conversations (id, workflow_id, user_id, visitor_hash, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $5)`,
    values: [id, workflow_id, holder.user_id, holder.visitor_hash, at.toISOString()],
  });
}

export async function deleteConversation(sql: SqlClient, scope: Scope, id: string): Promise<boolean> {
  const { text, values } = inScope(scope);
  const { row_count } = await sql.query({
    text: `DELETE FROM portal_conversations c WHERE ${text} AND c.id = $${values.length + 1}`,
    values: [...values, id],
  });
  return row_count === 1;
}

export interface TurnRow {
  readonly run_id: string;
  readonly inputs: JsonObject;
  readonly created_at: Date;
}

/** The newest turns, oldest first. @param before only those that came before this run */
export async function readTurns(
  sql: SqlClient,
  conversation_id: string,
  { limit, before = null }: { limit: number; before?: string | null },
): Promise<TurnRow[]> {
  const { rows } = await sql.query<Omit<TurnRow, 'inputs'> & { inputs: string }>({
    name: 'portal_turns',
    text: `SELECT run_id, inputs, created_at FROM portal_turns
      WHERE conversation_id = $1 AND ($3::uuid IS NULL OR run_id < $3::uuid) ORDER BY run_id DESC LIMIT $2`,
    values: [conversation_id, limit, before],
  });
  return rows.reverse().map((row) => ({ ...row, inputs: JSON.parse(row.inputs) as JsonObject }));
}

export interface NewTurn {
  readonly run_id: string;
  readonly conversation_id: string;
  /** Masked. */
  readonly inputs: JsonObject;
  /** The title of the conversation when this is its first message. */
  readonly title: string;
  /** This turn and those after it are taken away. */
  readonly replaces: string | null;
  readonly at: Date;
}

/** False when the conversation was deleted. */
export async function insertTurn(sql: SqlClient, turn: NewTurn): Promise<boolean> {
  const { row_count } = await sql.query({
    name: 'insert_portal_turn',
    text: `WITH kept AS (
        SELECT 1 FROM portal_turns WHERE conversation_id = $2 AND ($6::uuid IS NULL OR run_id < $6::uuid) LIMIT 1),
      removed AS (DELETE FROM portal_turns WHERE conversation_id = $2 AND run_id >= $6::uuid),
      used AS (UPDATE portal_conversations SET updated_at = $5,
          title = CASE WHEN EXISTS (SELECT 1 FROM kept) THEN title ELSE $4 END
        WHERE id = $2 RETURNING id)
      INSERT INTO portal_turns (run_id, conversation_id, inputs, created_at) SELECT $1, id, $3, $5 FROM used`,
    values: [
      turn.run_id,
      turn.conversation_id,
      JSON.stringify(turn.inputs),
      turn.title,
      turn.at.toISOString(),
      turn.replaces,
    ],
  });
  return row_count === 1;
}

export const deleteTurn = (sql: SqlClient, run_id: string) =>
  sql.query({ text: 'DELETE FROM portal_turns WHERE run_id = $1', values: [run_id] });

/** Also those that were begun and never used. */
export const deleteConversationsBefore = (
  sql: SqlClient,
  { used, begun }: { used: Date; begun: Date },
): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM portal_conversations WHERE id IN (
      SELECT c.id FROM portal_conversations c
      WHERE c.updated_at < $1 OR (c.updated_at < $2 AND NOT ${HAS_TURNS}) LIMIT $3)`,
    [used.toISOString(), begun.toISOString()],
  );
