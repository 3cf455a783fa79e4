import type { Trace, TraceFilters, TraceItem, TraceList } from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import { notFound } from '../../core/app-error.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Traces } from '../../ports/run/traces.ts';
import type { Needs } from '../../services.ts';
import * as queries from './queries.ts';

function traceItem({ error, created_at, ...row }: queries.ListedRow): TraceItem {
  return {
    ...row,
    created_at: created_at.toISOString(),
    status: error === null ? 'success' : 'error',
    is_priced: row.cost_usd !== null,
  };
}

export async function listTraces(ctx: Needs<'db' | 'actor'>, filters: TraceFilters): Promise<TraceList> {
  const { rows, total } = await queries.listTraces(ctx.db, ctx.actor.user_id, filters);
  return { items: rows.map(traceItem), total, limit: filters.limit, offset: filters.offset };
}

export async function readTrace(ctx: Needs<'db' | 'actor'>, id: string): Promise<Trace> {
  const row = await queries.findTrace(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Trace');
  const {
    user_id: _user_id,
    execution_key: _execution_key,
    budget_ids: _budget_ids,
    request,
    response,
    is_cut,
    ...listed
  } = row;
  return { ...traceItem(listed), request, response, is_cut, error: row.error };
}

/** Those too that wait to be stored. */
export async function deleteTraces(
  ctx: Needs<'sql' | 'actor'>,
  traces: Pick<Traces, 'flush'>,
): Promise<undefined> {
  await traces.flush();
  await queries.deleteUserTraces(ctx.sql, ctx.actor.user_id);
}

/** Removes what is older than the retention setting; 0 days keeps everything. */
export function purgeTraces(
  sql: SqlClient,
  { now_ms, days }: { now_ms: number; days: number },
): Promise<number> {
  return days === 0 ? Promise.resolve(0) : queries.deleteTracesBefore(sql, new Date(now_ms - days * DAY_MS));
}
