import type { LibraryFile, SkillFilters } from '@millrace/contracts';
import { and, asc, count, desc, eq, ilike, inArray, lte, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { likePattern } from '../../database/like-pattern.ts';
import { skillReferences, skills, skillVersions, users, workflows } from '../../database/schema/index.ts';
import { buildReachColumns } from '../shares/reach.ts';
import { grantRank, skillShareable, visibleIds, workflowShareable } from '../shares/shareable.ts';

export type SkillRow = typeof skills.$inferSelect;
export type VersionRow = typeof skillVersions.$inferSelect;
export type NewVersion = Omit<VersionRow, 'files'> & { readonly files: readonly LibraryFile[] };

/** Columns that lists show of a version, without its texts. */
const facts = {
  description: skillVersions.description,
  file_count: skillVersions.file_count,
  size_bytes: skillVersions.size_bytes,
};

const isNewest = and(eq(skillVersions.skill_id, skills.id), eq(skillVersions.number, skills.version));
const isVisible = (user_id: string): SQL => inArray(skills.id, visibleIds(skillShareable, user_id));

const selectVisible = (db: Db, user_id: string, condition?: SQL) =>
  db
    .select({ skill: skills, ...facts, ...buildReachColumns(skillShareable, user_id) })
    .from(skills)
    .innerJoin(skillVersions, isNewest)
    .innerJoin(users, eq(users.id, skills.owner_id))
    .where(and(isVisible(user_id), condition));

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

export async function listVisible(
  db: Db,
  user_id: string,
  { search, limit, offset }: SkillFilters,
): Promise<{ rows: VisibleRow[]; total: number }> {
  const pattern = likePattern(search ?? '');
  const found = search
    ? or(ilike(skills.name, pattern), ilike(skillVersions.description, pattern))
    : undefined;
  const rows = await selectVisible(db, user_id, found)
    .orderBy(grantRank(skillShareable, user_id), asc(skills.name), asc(skills.id))
    .limit(limit)
    .offset(offset);
  const [counted] = await db
    .select({ total: count() })
    .from(skills)
    .innerJoin(skillVersions, isNewest)
    .where(and(isVisible(user_id), found));
  return { rows, total: counted?.total ?? 0 };
}

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  const [row] = await selectVisible(db, user_id, eq(skills.id, id));
  return row;
}

/** Until the transaction ends, no other saves the skill. */
export async function lockSkill(db: Db, id: string): Promise<SkillRow | undefined> {
  const [row] = await db.select().from(skills).where(eq(skills.id, id)).for('update');
  return row;
}

/** Own skills that have one of these names. */
export const ownByNames = (db: Db, owner_id: string, names: readonly string[]): Promise<SkillRow[]> =>
  db
    .select()
    .from(skills)
    .where(and(eq(skills.owner_id, owner_id), inArray(skills.name, [...names])));

/** False when the owner already has a skill of that name. */
export async function insertSkill(db: Db, row: SkillRow): Promise<boolean> {
  const rows = await db.insert(skills).values(row).onConflictDoNothing().returning({ id: skills.id });
  return rows.length > 0;
}

export const updateSkill = (db: Db, id: string, change: Partial<SkillRow>) =>
  db.update(skills).set(change).where(eq(skills.id, id));

export const deleteSkill = (db: Db, id: string) => db.delete(skills).where(eq(skills.id, id));

export const insertVersion = (db: Db, row: NewVersion) => db.insert(skillVersions).values(row);

/** Deletes versions up to that number, except those that agents name. */
export const deleteOldVersions = (db: Db, skill_id: string, up_to: number) =>
  db.delete(skillVersions).where(
    and(
      eq(skillVersions.skill_id, skill_id),
      lte(skillVersions.number, up_to),
      notExists(
        db
          .select({ version: skillReferences.version })
          .from(skillReferences)
          .where(
            and(eq(skillReferences.skill_id, skill_id), eq(skillReferences.version, skillVersions.number)),
          ),
      ),
    ),
  );

/** Agents of all workflows that use the skill; `is_visible` says whether the person can see the workflow. */
export const listUses = (db: Db, user_id: string, skill_id: string) =>
  db
    .select({
      workflow_id: workflows.id,
      workflow_name: workflows.name,
      node_id: skillReferences.node_id,
      version: skillReferences.version,
      is_visible: sql<boolean>`${workflows.id} IN ${visibleIds(workflowShareable, user_id)}`,
    })
    .from(skillReferences)
    .innerJoin(workflows, eq(workflows.id, skillReferences.workflow_id))
    .where(eq(skillReferences.skill_id, skill_id))
    .orderBy(
      asc(workflows.name),
      asc(workflows.id),
      asc(skillReferences.node_id),
      asc(skillReferences.version),
    );

export async function findVersion(
  db: Db,
  { skill_id, number }: { skill_id: string; number: number },
): Promise<(VersionRow & { created_by_name: string | null }) | undefined> {
  const [row] = await db
    .select({ version: skillVersions, created_by_name: users.name })
    .from(skillVersions)
    .leftJoin(users, eq(users.id, skillVersions.created_by_id))
    .where(and(eq(skillVersions.skill_id, skill_id), eq(skillVersions.number, number)));
  return row && { ...row.version, created_by_name: row.created_by_name };
}

export async function listVersions(
  db: Db,
  skill_id: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const ofSkill = eq(skillVersions.skill_id, skill_id);
  const rows = await db
    .select({
      number: skillVersions.number,
      name: skillVersions.name,
      ...facts,
      created_by_name: users.name,
      created_at: skillVersions.created_at,
    })
    .from(skillVersions)
    .leftJoin(users, eq(users.id, skillVersions.created_by_id))
    .where(ofSkill)
    .orderBy(desc(skillVersions.number))
    .limit(limit)
    .offset(offset);
  const [counted] = await db.select({ total: count() }).from(skillVersions).where(ofSkill);
  return { rows, total: counted?.total ?? 0 };
}
