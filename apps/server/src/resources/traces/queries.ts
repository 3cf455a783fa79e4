import type { TraceFilters } from '@millrace/contracts';
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  isNotNull,
  isNull,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { deleteInSlices } from '../../database/delete-in-slices.ts';
import { likePattern } from '../../database/like-pattern.ts';
import { traces } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';

export type TraceRow = typeof traces.$inferSelect;
export type ListedRow = Omit<
  TraceRow,
  'user_id' | 'execution_key' | 'budget_ids' | 'request' | 'response' | 'is_cut'
>;

/** A search reads this many of the newest traces, whose texts are long. */
const SEARCH_WINDOW = 1_000;

const {
  user_id: _user_id,
  execution_key: _execution_key,
  budget_ids: _budget_ids,
  request: _request,
  response: _response,
  is_cut: _is_cut,
  ...listed
} = getTableColumns(traces);

const filtered = (user_id: string, filters: TraceFilters): SQL | undefined => {
  const { credential_id, workflow_id, run_id, source, status } = filters;
  return and(
    eq(traces.user_id, user_id),
    credential_id ? eq(traces.credential_id, credential_id) : undefined,
    workflow_id ? eq(traces.workflow_id, workflow_id) : undefined,
    run_id ? eq(traces.run_id, run_id) : undefined,
    source ? eq(traces.source, source) : undefined,
    status === undefined ? undefined : status === 'error' ? isNotNull(traces.error) : isNull(traces.error),
  );
};

/** Bodies are JSON texts, in which some characters of the words stand escaped. */
function matching(search: string): SQL | undefined {
  const plain = likePattern(search);
  const written = likePattern(JSON.stringify(search).slice(1, -1));
  const { model, provider, node_label, workflow_name, credential_name, error } = traces;
  const names = [model, provider, node_label, workflow_name, credential_name, error];
  return or(
    ...names.map((column) => sql`${column} ILIKE ${plain}`),
    ...[traces.request, traces.response].map((column) => sql`${column} ILIKE ${written}`),
  );
}

function wanted(db: Db, user_id: string, filters: TraceFilters): SQL | undefined {
  const where = filtered(user_id, filters);
  if (!filters.search) return where;
  const newest = db
    .select({ id: traces.id })
    .from(traces)
    .where(where)
    .orderBy(desc(traces.created_at), desc(traces.id))
    .limit(SEARCH_WINDOW);
  return and(sql`${traces.id} IN (${newest})`, matching(filters.search));
}

/** A page of a person's traces, and how many there are on all pages. */
export async function listTraces(
  db: Db,
  user_id: string,
  filters: TraceFilters,
): Promise<{ rows: ListedRow[]; total: number }> {
  const where = wanted(db, user_id, filters);
  const direction = filters.order === 'asc' ? asc : desc;
  const rows = await db
    .select(listed)
    .from(traces)
    .where(where)
    .orderBy(direction(traces.created_at), direction(traces.id))
    .limit(filters.limit)
    .offset(filters.offset);
  const [counted] = await db.select({ total: count() }).from(traces).where(where);
  return { rows, total: counted?.total ?? 0 };
}

export async function findTrace(db: Db, user_id: string, id: string): Promise<TraceRow | undefined> {
  const [row] = await db
    .select()
    .from(traces)
    .where(and(eq(traces.id, id), eq(traces.user_id, user_id)));
  return row;
}

/** @returns how many were removed */
export const deleteUserTraces = (client: SqlClient, user_id: string): Promise<number> =>
  deleteInSlices(
    client,
    'DELETE FROM traces WHERE id IN (SELECT id FROM traces WHERE user_id = $1 LIMIT $2::int)',
    [user_id],
  );

/** @returns how many were removed */
export const deleteTracesBefore = (client: SqlClient, at: Date): Promise<number> =>
  deleteInSlices(
    client,
    'DELETE FROM traces WHERE id IN (SELECT id FROM traces WHERE created_at < $1 LIMIT $2::int)',
    [at],
  );
