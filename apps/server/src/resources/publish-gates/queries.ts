import { and, asc, count, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { evalSuites, evalTestCases, publishGateSuites } from '../../database/schema/index.ts';

export type GateRow = typeof publishGateSuites.$inferSelect;
type SuiteRow = typeof evalSuites.$inferSelect;

export interface GateEntry {
  readonly gate: GateRow;
  /** Null when it was deleted. */
  readonly suite: SuiteRow | null;
  readonly test_case_count: number;
}

export const listEntries = (db: Db, workflow_id: string): Promise<GateEntry[]> =>
  db
    .select({ gate: publishGateSuites, suite: evalSuites, test_case_count: count(evalTestCases.id) })
    .from(publishGateSuites)
    .leftJoin(evalSuites, eq(evalSuites.id, publishGateSuites.suite_id))
    .leftJoin(evalTestCases, eq(evalTestCases.suite_id, evalSuites.id))
    .where(eq(publishGateSuites.workflow_id, workflow_id))
    .groupBy(publishGateSuites.workflow_id, publishGateSuites.suite_id, evalSuites.id)
    .orderBy(asc(publishGateSuites.place));

export async function replaceEntries(db: Db, workflow_id: string, rows: readonly GateRow[]): Promise<void> {
  await db.delete(publishGateSuites).where(eq(publishGateSuites.workflow_id, workflow_id));
  if (rows.length > 0) await db.insert(publishGateSuites).values([...rows]);
}

export const suitesAmong = (db: Db, owner_id: string, ids: readonly string[]): Promise<SuiteRow[]> =>
  db
    .select()
    .from(evalSuites)
    .where(and(eq(evalSuites.owner_id, owner_id), inArray(evalSuites.id, [...ids])));
