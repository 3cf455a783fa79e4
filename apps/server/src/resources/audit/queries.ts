import { and, desc, eq, inArray, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { queryRows } from '../../database/query-rows.ts';
import {
  auditEntries,
  boards,
  credentials,
  dataTables,
  evalRuns,
  evalSuites,
  files,
  folders,
  globalVariables,
  skills,
  teams,
  templates,
  vectorStores,
  workflows,
} from '../../database/schema/index.ts';

export type AuditRow = typeof auditEntries.$inferSelect;

export interface AuditFilter {
  /** Absent: the entries of all users. */
  readonly reader_id: string | undefined;
  readonly limit: number;
  readonly before?: string | undefined;
  readonly object_id?: string | undefined;
  readonly object_kind?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
}

/** Ids sort by time, so the last one of a page is where the next begins. */
export function listEntries(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { reader_id, before, object_id, object_kind, action, outcome } = filter;
  return db
    .select()
    .from(auditEntries)
    .where(
      and(
        reader_id
          ? or(eq(auditEntries.owner_id, reader_id), eq(auditEntries.actor_id, reader_id))
          : undefined,
        before ? lt(auditEntries.id, before) : undefined,
        object_id ? eq(auditEntries.object_id, object_id) : undefined,
        object_kind ? eq(auditEntries.object_kind, object_kind) : undefined,
        action ? eq(auditEntries.action, action) : undefined,
        outcome ? eq(auditEntries.outcome, outcome) : undefined,
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(filter.limit);
}

/** @returns how many entries were removed */
export async function deleteEntriesBefore(db: Db, at: Date): Promise<number> {
  const rows = await db
    .delete(auditEntries)
    .where(lt(auditEntries.at, at))
    .returning({ id: auditEntries.id });
  return rows.length;
}

const OWNED = [
  { kind: 'workflow', id: workflows.id, owner: workflows.owner_id, name: workflows.name },
  { kind: 'credential', id: credentials.id, owner: credentials.owner_id, name: credentials.name },
  {
    kind: 'global_variable',
    id: globalVariables.id,
    owner: globalVariables.owner_id,
    name: globalVariables.name,
  },
  { kind: 'vector_store', id: vectorStores.id, owner: vectorStores.owner_id, name: vectorStores.name },
  { kind: 'data_table', id: dataTables.id, owner: dataTables.owner_id, name: dataTables.name },
  { kind: 'board', id: boards.id, owner: boards.owner_id, name: boards.name },
  { kind: 'skill', id: skills.id, owner: skills.owner_id, name: skills.name },
  { kind: 'eval_suite', id: evalSuites.id, owner: evalSuites.owner_id, name: evalSuites.name },
  { kind: 'eval_run', id: evalRuns.id, owner: evalRuns.owner_id, name: evalRuns.name },
  { kind: 'folder', id: folders.id, owner: folders.owner_id, name: folders.name },
  { kind: 'file', id: files.id, owner: files.owner_id, name: files.filename },
  { kind: 'team', id: teams.id, owner: teams.creator_id, name: teams.name },
  {
    kind: sql`${templates.kind} || '_template'`,
    id: templates.id,
    owner: templates.author_id,
    name: templates.name,
  },
];

export interface OwnedObject {
  readonly id: string;
  readonly kind: string;
  readonly owner_id: string;
  readonly name: string;
}

/** Owners of the objects with these ids, of any kind; unknown ids are left out. */
export function objectsByIds(db: Db, ids: readonly string[]): Promise<OwnedObject[]> {
  const parts = OWNED.map(
    ({ kind, id, owner, name }) => sql`
      SELECT ${id} AS id, (${kind})::text AS kind, ${owner} AS owner_id, ${name} AS name FROM ${id.table}
      WHERE ${inArray(id, [...ids])}`,
  );
  return queryRows<OwnedObject>(db, sql.join(parts, sql` UNION ALL `));
}
