import { and, asc, count, eq, max } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { evalSuites, evalTestCases } from '../../database/schema/index.ts';

export type SuiteRow = typeof evalSuites.$inferSelect;
export type CaseRow = typeof evalTestCases.$inferSelect;

export const listSuites = (db: Db, owner_id: string) =>
  db
    .select({ suite: evalSuites, test_case_count: count(evalTestCases.id) })
    .from(evalSuites)
    .leftJoin(evalTestCases, eq(evalTestCases.suite_id, evalSuites.id))
    .where(eq(evalSuites.owner_id, owner_id))
    .groupBy(evalSuites.id)
    .orderBy(asc(evalSuites.name), asc(evalSuites.id));

export async function countSuites(db: Db, owner_id: string): Promise<number> {
  const [row] = await db.select({ total: count() }).from(evalSuites).where(eq(evalSuites.owner_id, owner_id));
  return row?.total ?? 0;
}

/** Undefined for a suite of another person. */
export async function findSuite(db: Db, owner_id: string, id: string): Promise<SuiteRow | undefined> {
  const [row] = await db
    .select()
    .from(evalSuites)
    .where(and(eq(evalSuites.id, id), eq(evalSuites.owner_id, owner_id)));
  return row;
}

/** The same; until the transaction ends, its test cases and runs change nowhere else. */
export async function lockSuite(db: Db, owner_id: string, id: string): Promise<SuiteRow | undefined> {
  const [row] = await db
    .select()
    .from(evalSuites)
    .where(and(eq(evalSuites.id, id), eq(evalSuites.owner_id, owner_id)))
    .for('no key update');
  return row;
}

export const insertSuite = (db: Db, row: typeof evalSuites.$inferInsert) => db.insert(evalSuites).values(row);

export const updateSuite = (db: Db, id: string, change: Partial<SuiteRow>) =>
  db.update(evalSuites).set(change).where(eq(evalSuites.id, id));

export const deleteSuite = (db: Db, id: string) => db.delete(evalSuites).where(eq(evalSuites.id, id));

export const listCases = (db: Db, suite_id: string): Promise<CaseRow[]> =>
  db
    .select()
    .from(evalTestCases)
    .where(eq(evalTestCases.suite_id, suite_id))
    .orderBy(asc(evalTestCases.order_index), asc(evalTestCases.created_at), asc(evalTestCases.id));

/** How many test cases there are, and the next place after the last. */
export async function caseRoom(db: Db, suite_id: string): Promise<{ total: number; next: number }> {
  const [row] = await db
    .select({ total: count(), last: max(evalTestCases.order_index) })
    .from(evalTestCases)
    .where(eq(evalTestCases.suite_id, suite_id));
  return { total: row?.total ?? 0, next: (row?.last ?? -1) + 1 };
}

export async function findCase(
  db: Db,
  place: { suite_id: string; case_id: string },
): Promise<CaseRow | undefined> {
  const [row] = await db
    .select()
    .from(evalTestCases)
    .where(and(eq(evalTestCases.id, place.case_id), eq(evalTestCases.suite_id, place.suite_id)));
  return row;
}

export async function insertCase(db: Db, row: typeof evalTestCases.$inferInsert): Promise<CaseRow> {
  const [inserted] = await db.insert(evalTestCases).values(row).returning();
  if (!inserted) throw new Error('a test case was not stored');
  return inserted;
}

export async function updateCase(db: Db, id: string, change: Partial<CaseRow>): Promise<CaseRow | undefined> {
  const [row] = await db.update(evalTestCases).set(change).where(eq(evalTestCases.id, id)).returning();
  return row;
}

/** @returns whether it was there */
export async function deleteCase(db: Db, place: { suite_id: string; case_id: string }): Promise<boolean> {
  const gone = await db
    .delete(evalTestCases)
    .where(and(eq(evalTestCases.id, place.case_id), eq(evalTestCases.suite_id, place.suite_id)))
    .returning({ id: evalTestCases.id });
  return gone.length > 0;
}
