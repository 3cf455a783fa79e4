import {
  LIBRARY_LIMITS,
  type LibraryFileInput,
  type Skill,
  type SkillFilters,
  type SkillSummary,
  type SkillUse,
  type SkillVersion,
  type SkillVersionSummary,
} from '@millrace/contracts';
import { conflict, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { nameIsTaken, sharedBy, unlessTaken } from '../shares/reach.ts';
import { skillShareable } from '../shares/shareable.ts';
import { lockOwn, requireVisible } from './access.ts';
import {
  areSame,
  checkedFiles,
  type SkillContents,
  storedFiles,
  toContents,
  versionRow,
} from './contents.ts';
import * as queries from './queries.ts';

type Reader = Needs<'db' | 'actor'>;
export type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

type Page = Pick<SkillFilters, 'limit' | 'offset'>;

const audit = (
  db: Db,
  ctx: Writer,
  action: 'created' | 'updated' | 'deleted',
  { id, name, owner_id, version }: queries.SkillRow,
) =>
  recordAudit(db, ctx, {
    action: `skill.${action}`,
    object_kind: 'skill',
    object_id: id,
    object_name: name,
    owner_id,
    details: { version },
  });

const nameTaken = (name: string) => conflict(`You already have a skill named "${name}"`);

export const toSummary = ({
  skill,
  description,
  file_count,
  size_bytes,
  ...row
}: queries.VisibleRow): SkillSummary => ({
  id: skill.id,
  name: skill.name,
  description,
  file_count,
  size_bytes,
  version: skill.version,
  owner_id: skill.owner_id,
  created_at: skill.created_at.toISOString(),
  updated_at: skill.updated_at.toISOString(),
  ...sharedBy(row),
});

export async function listSkills(ctx: Reader, filters: SkillFilters) {
  const { rows, total } = await queries.listVisible(ctx.db, ctx.actor.user_id, filters);
  return { items: rows.map(toSummary), total, limit: filters.limit, offset: filters.offset };
}

/** Pruned by a save that came between the two statements, or never there. */
async function requireVersion(db: Db, skill_id: string, number: number) {
  const version = await queries.findVersion(db, { skill_id, number });
  if (!version) throw notFound('Version');
  return version;
}

/** The skill with the texts of its newest version. */
export async function readSkill(ctx: Reader, id: string): Promise<Skill> {
  const row = await requireVisible(ctx, id);
  const version = await requireVersion(ctx.db, id, row.skill.version);
  const { content, files, timeout_seconds } = version;
  return { ...toSummary(row), content, files: storedFiles(files), timeout_seconds };
}

/** Adds a skill in the transaction of the caller. */
export async function addSkill(tx: Db, ctx: Writer, contents: SkillContents): Promise<string> {
  const at = new Date(ctx.now());
  const owner_id = ctx.actor.user_id;
  const row = { id: newId(), owner_id, name: contents.name, version: 1, created_at: at, updated_at: at };
  const place = { skill_id: row.id, number: 1, created_by_id: owner_id, created_at: at };
  const version = versionRow(contents, place);
  if (!(await queries.insertSkill(tx, row))) throw nameTaken(contents.name);
  await queries.insertVersion(tx, version);
  await audit(tx, ctx, 'created', row);
  return row.id;
}

/** Saves a version in the transaction of the caller, which holds the lock of the skill; the oldest may go for it. */
async function addVersion(
  tx: Db,
  ctx: Writer,
  { skill, contents }: { readonly skill: queries.SkillRow; readonly contents: SkillContents },
): Promise<void> {
  const at = new Date(ctx.now());
  const number = skill.version + 1;
  const { id: skill_id, owner_id } = skill;
  if (await nameIsTaken(tx, skillShareable, { owner_id, name: contents.name, except_id: skill_id })) {
    throw nameTaken(contents.name);
  }
  const place = { skill_id, number, created_by_id: ctx.actor.user_id, created_at: at };
  await queries.insertVersion(tx, versionRow(contents, place));
  const change = { name: contents.name, version: number, updated_at: at };
  await unlessTaken(queries.updateSkill(tx, skill_id, change), () => nameTaken(contents.name));
  await queries.deleteOldVersions(tx, skill_id, number - LIBRARY_LIMITS.versions);
  await audit(tx, ctx, 'updated', { ...skill, ...change });
}

type Changes = { readonly [Key in keyof SkillContents]?: SkillContents[Key] | undefined };

/** Saves a version as `addVersion` does, unless it would hold the same as the newest one. */
export async function saveChanges(
  tx: Db,
  ctx: Writer,
  { skill, changes }: { readonly skill: queries.SkillRow; readonly changes: Changes },
): Promise<void> {
  const former = toContents(await requireVersion(tx, skill.id, skill.version));
  const contents = {
    name: changes.name ?? former.name,
    content: changes.content ?? former.content,
    files: changes.files ?? former.files,
    timeout_seconds: changes.timeout_seconds ?? former.timeout_seconds,
  };
  if (!areSame(former, contents)) await addVersion(tx, ctx, { skill, contents });
}

interface Given {
  readonly name: string;
  readonly content: string;
  readonly files: readonly LibraryFileInput[];
  readonly timeout_seconds: number;
}

export async function createSkill(ctx: Writer, input: Given): Promise<Skill> {
  const contents = { ...input, files: checkedFiles(input.files) };
  const id = await ctx.db.transaction((tx) => addSkill(tx, ctx, contents));
  return readSkill(ctx, id);
}

type Change = { readonly [Key in keyof Given]?: Given[Key] | undefined } & {
  readonly id: string;
  readonly base_version?: number | undefined;
};

export async function updateSkill(ctx: Writer, { id, base_version, ...input }: Change): Promise<Skill> {
  await ctx.db.transaction(async (tx) => {
    const skill = await lockOwn({ ...ctx, db: tx }, id);
    if (base_version !== undefined && base_version !== skill.version) {
      throw conflict('The skill was saved elsewhere in the meantime', { version: skill.version });
    }
    const changes = { ...input, files: input.files && checkedFiles(input.files) };
    await saveChanges(tx, ctx, { skill, changes });
  });
  return readSkill(ctx, id);
}

/** Which agents use the skill, so that a deletion can show what it breaks; only what the actor can see. */
export async function listUses(ctx: Reader, id: string): Promise<SkillUse[]> {
  await requireVisible(ctx, id);
  const uses = await queries.listUses(ctx.db, ctx.actor.user_id, id);
  return uses
    .filter(({ is_visible }) => is_visible)
    .map(({ workflow_id, workflow_name, node_id, version }) => ({
      workflow_id,
      workflow_name,
      node_id,
      version: version === 0 ? null : version,
    }));
}

/** Workflows of others are counted, not named: their owner may use a skill that is shared with them. */
async function requireUnused(ctx: Reader, id: string): Promise<void> {
  const uses = await queries.listUses(ctx.db, ctx.actor.user_id, id);
  if (uses.length === 0) return;
  const named = new Map(
    uses.filter((use) => use.is_visible).map((use) => [use.workflow_id, use.workflow_name]),
  );
  const hidden = new Set(uses.filter((use) => !use.is_visible).map((use) => use.workflow_id)).size;
  const parts = [...named.values()].map((name) => `"${name}"`);
  if (hidden > 0)
    parts.push(hidden === 1 ? '1 workflow of another person' : `${hidden} workflows of other people`);
  throw conflict(`Agents use the skill in ${parts.join(', ')}`, {
    workflows: [...named.values()],
    hidden_workflows: hidden,
  });
}

export async function deleteSkill(
  ctx: Writer,
  { id, force }: { readonly id: string; readonly force: boolean },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const skill = await lockOwn({ ...ctx, db: tx }, id);
    if (!force) await requireUnused({ ...ctx, db: tx }, id);
    await queries.deleteSkill(tx, id);
    await audit(tx, ctx, 'deleted', skill);
  });
}

type ListedVersion = Awaited<ReturnType<typeof queries.listVersions>>['rows'][number];

const versionSummary = (
  { number, name, description, file_count, size_bytes, created_by_name, created_at }: ListedVersion,
  newest: number,
): SkillVersionSummary => ({
  number,
  name,
  description,
  file_count,
  size_bytes,
  is_current: number === newest,
  created_by_name,
  created_at: created_at.toISOString(),
});

export async function listVersions(ctx: Reader, { id, ...page }: Page & { id: string }) {
  const { skill } = await requireVisible(ctx, id);
  const { rows, total } = await queries.listVersions(ctx.db, id, page);
  return { items: rows.map((row) => versionSummary(row, skill.version)), total, ...page };
}

export async function readVersion(
  ctx: Reader,
  { id, number }: { id: string; number: number },
): Promise<SkillVersion> {
  const { skill } = await requireVisible(ctx, id);
  const version = await requireVersion(ctx.db, id, number);
  const { content, files, timeout_seconds } = version;
  return { ...versionSummary(version, skill.version), content, files: storedFiles(files), timeout_seconds };
}

/** The name stays: another skill may have the former one by now. */
export async function restoreVersion(
  ctx: Writer,
  { id, number }: { id: string; number: number },
): Promise<Skill> {
  await ctx.db.transaction(async (tx) => {
    const skill = await lockOwn({ ...ctx, db: tx }, id);
    const { name: _former, ...changes } = toContents(await requireVersion(tx, id, number));
    await saveChanges(tx, ctx, { skill, changes });
  });
  return readSkill(ctx, id);
}
