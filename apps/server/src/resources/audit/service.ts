import type { AuditEntry } from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import { forbidden } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import * as queries from './queries.ts';

/** The owner of an object learns who touched it, but not from where. */
function auditRecord(row: queries.AuditRow, seesOrigin: boolean): AuditEntry {
  const { owner_id: _, at, details, outcome, client_ip, ...rest } = row;
  return {
    ...rest,
    at: at.toISOString(),
    outcome: outcome === 'refused' ? 'refused' : 'done',
    details: details === null ? null : (JSON.parse(details) as Record<string, unknown>),
    client_ip: seesOrigin ? client_ip : null,
  };
}

interface Filter extends Omit<queries.AuditFilter, 'reader_id'> {
  readonly all?: boolean | undefined;
}

export async function listAudit(
  ctx: Needs<'db' | 'actor'>,
  { all, ...filter }: Filter,
): Promise<{ items: AuditEntry[]; next_before: string | null }> {
  const { user_id, is_admin } = ctx.actor;
  if (all && !is_admin) throw forbidden('Only an administrator may read all entries');
  const rows = await queries.listEntries(ctx.db, { ...filter, reader_id: all ? undefined : user_id });
  const items = rows.map((row) => auditRecord(row, is_admin || row.actor_id === user_id));
  const last = rows.length < filter.limit ? undefined : rows.at(-1);
  return { items, next_before: last?.id ?? null };
}

/** Removes what is older than the retention setting; 0 days keeps everything. */
export function purgeAudit(db: Db, { now_ms, days }: { now_ms: number; days: number }): Promise<number> {
  return days === 0 ? Promise.resolve(0) : queries.deleteEntriesBefore(db, new Date(now_ms - days * DAY_MS));
}
