import { and, eq } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { analysisNotes, users } from '../../database/schema/index.ts';

export interface NoteRow {
  readonly content: string;
  readonly revision: number;
  readonly updated_at: Date;
  readonly author_id: string | null;
  readonly author_name: string | null;
}

export async function noteOf(db: Db, workflow_id: string): Promise<NoteRow | undefined> {
  const [row] = await db
    .select({
      content: analysisNotes.content,
      revision: analysisNotes.revision,
      updated_at: analysisNotes.updated_at,
      author_id: users.id,
      author_name: users.name,
    })
    .from(analysisNotes)
    .leftJoin(users, eq(users.id, analysisNotes.updated_by_id))
    .where(eq(analysisNotes.workflow_id, workflow_id));
  return row;
}

export interface NoteChange {
  readonly workflow_id: string;
  readonly content: string;
  readonly base_revision: number;
  readonly updated_by_id: string;
  readonly updated_at: Date;
}

/** Compare-and-swap: of any number of writers from the same revision exactly one gets true. */
export async function writeNote(db: Db, { base_revision, ...change }: NoteChange): Promise<boolean> {
  const revision = base_revision + 1;
  const done = { revision: analysisNotes.revision };
  if (base_revision === 0) {
    const row = { ...change, revision };
    return (await db.insert(analysisNotes).values(row).onConflictDoNothing().returning(done)).length > 0;
  }
  const isBase = and(
    eq(analysisNotes.workflow_id, change.workflow_id),
    eq(analysisNotes.revision, base_revision),
  );
  const rows = await db
    .update(analysisNotes)
    .set({ ...change, revision })
    .where(isBase)
    .returning(done);
  return rows.length > 0;
}
