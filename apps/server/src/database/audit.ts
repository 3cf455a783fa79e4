import type { Actor } from '../core/actor.ts';
import { newOrderedId } from '../core/ids.ts';
import type { Db } from './database.ts';
import { auditEntries } from './schema/accounts.ts';

/** Who asks, and when; a request's context fits, and so does a job's `{ now }`. */
export interface AuditSource {
  readonly actor?: Actor | undefined;
  readonly now: () => number;
  readonly request_id?: string;
  readonly client_ip?: string;
}

/** One entry of the audit log. `details` names fields and counts; it never holds a secret or a changed value. */
export interface AuditEntry {
  /** Object kind and past-tense verb: `credential.created`. */
  readonly action: string;
  readonly object_kind: string;
  readonly object_id?: string | undefined;
  readonly object_name?: string | undefined;
  /** Owner of the object, who may read the entry; absent: the actor. */
  readonly owner_id?: string | undefined;
  readonly outcome?: 'done' | 'refused';
  readonly details?: Record<string, unknown>;
}

const LONGEST_NAME = 500;

/**
 * Writes an entry. `db` is the transaction of the change where there is one, so that neither is stored without the other.
 */
export async function recordAudit(db: Db, source: AuditSource, entry: AuditEntry): Promise<void> {
  await db.insert(auditEntries).values(auditRow(source, entry));
}

/** The same as a plain statement, for transactions without the query builder. */
export function auditStatement(source: AuditSource, entry: AuditEntry): { text: string; values: unknown[] } {
  const row = auditRow(source, entry);
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  return {
    text: `INSERT INTO audit_entries (${columns.join(', ')}) VALUES (${places})`,
    values: Object.values(row),
  };
}

function auditRow(source: AuditSource, entry: AuditEntry) {
  const { actor } = source;
  return {
    id: newOrderedId(source.now()),
    at: new Date(source.now()),
    actor_id: actor?.user_id ?? null,
    actor_email: actor?.email ?? null,
    action: entry.action,
    object_kind: entry.object_kind,
    object_id: entry.object_id ?? null,
    object_name: entry.object_name?.slice(0, LONGEST_NAME) ?? null,
    owner_id: entry.owner_id ?? actor?.user_id ?? null,
    outcome: entry.outcome ?? 'done',
    details: entry.details ? JSON.stringify(entry.details) : null,
    client_ip: source.client_ip ?? null,
    request_id: source.request_id ?? null,
  };
}
