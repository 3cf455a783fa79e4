import { and, eq } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { analysisDocuments, users } from '../../database/schema/index.ts';

export interface DocumentRow {
  readonly content: string;
  readonly revision: number;
  readonly updated_at: Date;
  readonly author_id: string | null;
  readonly author_name: string | null;
}

export async function findDocument(db: Db, workflow_id: string): Promise<DocumentRow | undefined> {
  const [row] = await db
    .select({
      content: analysisDocuments.content,
      revision: analysisDocuments.revision,
      updated_at: analysisDocuments.updated_at,
      author_id: users.id,
      author_name: users.name,
    })
    .from(analysisDocuments)
    .leftJoin(users, eq(users.id, analysisDocuments.updated_by_id))
    .where(eq(analysisDocuments.workflow_id, workflow_id));
  return row;
}

export interface DocumentChange {
  readonly workflow_id: string;
  readonly content: string;
  readonly base_revision: number;
  readonly updated_by_id: string;
  readonly updated_at: Date;
}

/** Compare-and-swap: of any number of writers from the same revision exactly one gets true. */
export async function writeDocument(db: Db, { base_revision, ...change }: DocumentChange): Promise<boolean> {
  const revision = base_revision + 1;
  const done = { revision: analysisDocuments.revision };
  if (base_revision === 0) {
    const row = { ...change, revision };
    return (await db.insert(analysisDocuments).values(row).onConflictDoNothing().returning(done)).length > 0;
  }
  const isBase = and(
    eq(analysisDocuments.workflow_id, change.workflow_id),
    eq(analysisDocuments.revision, base_revision),
  );
  const rows = await db
    .update(analysisDocuments)
    .set({ ...change, revision })
    .where(isBase)
    .returning(done);
  return rows.length > 0;
}
