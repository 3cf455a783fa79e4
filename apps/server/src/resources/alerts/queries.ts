import { and, desc, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from '../../database/database.ts';
import { alerts, workflows } from '../../database/schema/index.ts';

export type AlertRow = typeof alerts.$inferSelect;
export type NewAlertRow = typeof alerts.$inferInsert;

const targets = alias(workflows, 'targets');

const named = (db: Db) =>
  db
    .select({ alert: alerts, workflow_name: workflows.name, target_workflow_name: targets.name })
    .from(alerts)
    .innerJoin(workflows, eq(workflows.id, alerts.workflow_id))
    .innerJoin(targets, eq(targets.id, alerts.target_workflow_id));

/** An alert with the names of its workflows. */
export type NamedAlert = Awaited<ReturnType<typeof queryAlerts>>[number];

export const queryAlerts = (db: Db, owner_id: string) =>
  named(db).where(eq(alerts.owner_id, owner_id)).orderBy(desc(alerts.created_at), desc(alerts.id));

export async function ownAlert(
  db: Db,
  { id, owner_id }: { id: string; owner_id: string },
): Promise<NamedAlert | undefined> {
  return (await named(db).where(and(eq(alerts.id, id), eq(alerts.owner_id, owner_id))))[0];
}

/** Of any owner. */
export const alertRows = (db: Db, id: string): Promise<AlertRow[]> =>
  db.select().from(alerts).where(eq(alerts.id, id));

/** The same, locked until the end of the transaction. */
export async function lockAlert(db: Db, id: string): Promise<AlertRow | undefined> {
  return (await db.select().from(alerts).where(eq(alerts.id, id)).for('update'))[0];
}

export const countAlerts = (db: Db, owner_id: string) => db.$count(alerts, eq(alerts.owner_id, owner_id));

export const insertAlert = (db: Db, row: NewAlertRow) => db.insert(alerts).values(row);

export const updateAlert = (db: Db, id: string, change: Partial<AlertRow>) =>
  db.update(alerts).set(change).where(eq(alerts.id, id));

/** The same unless its owner has changed it since it was read. */
export const updateUnchanged = (
  db: Db,
  { id, updated_at }: Pick<AlertRow, 'id' | 'updated_at'>,
  change: Partial<AlertRow>,
) =>
  db
    .update(alerts)
    .set(change)
    .where(and(eq(alerts.id, id), eq(alerts.updated_at, updated_at)));

export const deleteAlert = (db: Db, id: string) => db.delete(alerts).where(eq(alerts.id, id));
