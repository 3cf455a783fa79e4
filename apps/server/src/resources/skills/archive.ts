import { LIBRARY_LIMITS, type LibraryFile, type SkillImport } from '@millrace/contracts';
import { plainPath, SKILL_FILE } from '@millrace/nodes/skill-path';
import { skillFacts } from '@millrace/nodes/skill-text';
import { ZipFile } from 'yazl';
import { AppError, conflict } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { type ArchiveFile, readArchive } from '../folders/archive.ts';
import { safeSegment } from '../folders/names.ts';
import { lockOwn, requireVisible } from './access.ts';
import { fileProblem, requireFileSize, type SkillContents, toBytes } from './contents.ts';
import * as queries from './queries.ts';
import { addSkill, readSkill, saveChanges, toSummary, type Writer } from './service.ts';

const USUAL_TIMEOUT_SECONDS = 30;
const LONGEST_NAME = 255;

const refused = (message: string) => new AppError('bad_request', message);

/** Path of the folder with a slash at its end; empty for the top of the archive. */
const getFolder = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

const isMain = ({ path }: ArchiveFile): boolean =>
  path.slice(getFolder(path).length).toLowerCase() === SKILL_FILE.toLowerCase();

/** Its text; undefined for bytes that are none. */
function decodeText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Texts can be edited, so only other files are kept as base64. */
function toFile(path: string, bytes: Buffer): LibraryFile {
  const text = decodeText(bytes);
  return text === undefined
    ? { path, content: bytes.toString('base64'), encoding: 'base64' }
    : { path, content: text, encoding: 'text' };
}

function mainText({ path, bytes }: ArchiveFile): string {
  const text = decodeText(bytes);
  if (text === undefined) throw refused(`"${path}" is not a text in UTF-8`);
  if (text.length > LIBRARY_LIMITS.content_characters) {
    throw new AppError(
      'too_large',
      `"${path}" has more than ${LIBRARY_LIMITS.content_characters} characters`,
    );
  }
  return text;
}

/** As the front matter names it, or else its folder. */
function resolveSkillName(main: ArchiveFile, content: string): string {
  const folder = getFolder(main.path).split('/').at(-2) ?? '';
  const name = [skillFacts(content).name.trim(), folder.trim()].find((text) => text !== '');
  if (name === undefined) {
    throw refused(`"${main.path}" has no "name": begin it with front matter that names the skill`);
  }
  if (name.length > LONGEST_NAME) {
    throw refused(`The name in "${main.path}" has more than ${LONGEST_NAME} characters`);
  }
  return name;
}

function skillIn(main: ArchiveFile, inside: readonly ArchiveFile[]): SkillContents {
  const folder = getFolder(main.path);
  const content = mainText(main);
  if (inside.length > LIBRARY_LIMITS.files) {
    throw new AppError(
      'too_large',
      `The skill of "${main.path}" has more than ${LIBRARY_LIMITS.files} files`,
    );
  }
  const seen = new Set<string>();
  const files = inside.map(({ path, bytes }) => {
    const own = path.slice(folder.length);
    const problem = fileProblem(own, seen);
    if (problem) throw refused(`"${path}" ${problem}`);
    requireFileSize(path, bytes.length);
    return toFile(plainPath(own), bytes);
  });
  return { name: resolveSkillName(main, content), content, files, timeout_seconds: USUAL_TIMEOUT_SECONDS };
}

/** The skills of a ZIP: every folder with a SKILL.md is one, with all that is below it. */
export function skillsIn(files: readonly ArchiveFile[]): { skills: SkillContents[]; skipped: string[] } {
  const mains = files.filter(isMain);
  if (mains.length === 0) throw refused(`The archive has no ${SKILL_FILE}`);
  if (mains.length > LIBRARY_LIMITS.imported) {
    throw new AppError('too_large', `The archive has more than ${LIBRARY_LIMITS.imported} skills`);
  }
  const folders = mains.map(({ path }) => getFolder(path));
  for (const { path } of mains) {
    const outer = folders.find((folder) => folder !== getFolder(path) && path.startsWith(folder));
    if (outer !== undefined)
      throw refused(`"${path}" is inside another skill, that of "${outer}${SKILL_FILE}"`);
    if (folders.filter((folder) => folder === getFolder(path)).length > 1) {
      throw refused(`"${path}" is there twice, in another case of letters`);
    }
  }
  const inside = new Map(folders.map((folder): [string, ArchiveFile[]] => [folder, []]));
  const skipped: string[] = [];
  for (const file of files) {
    if (isMain(file)) continue;
    const folder = folders.find((one) => file.path.startsWith(one));
    if (folder === undefined) skipped.push(file.path);
    else inside.get(folder)?.push(file);
  }
  const skills = mains.map((main) => skillIn(main, inside.get(getFolder(main.path)) ?? []));
  requireOwnNames(skills, mains);
  return { skills, skipped };
}

function requireOwnNames(skills: readonly SkillContents[], mains: readonly ArchiveFile[]): void {
  const taken = new Set<string>();
  for (const [at, { name }] of skills.entries()) {
    if (taken.has(name)) throw refused(`"${mains[at]?.path}" has the name of another skill: "${name}"`);
    taken.add(name);
  }
}

/**
 * Makes the skills of a ZIP, all or none. Those that the caller has by that name get a version if they agree to it, and keep what
 * a ZIP does not hold.
 */
export async function importSkills(
  ctx: Writer,
  { bytes, replace }: { readonly bytes: Buffer; readonly replace: boolean },
): Promise<SkillImport> {
  const { skills, skipped } = skillsIn((await readArchive(bytes)).files);
  const names = skills.map(({ name }) => name);
  const ids = await ctx.db.transaction(async (tx) => {
    const known = new Map(
      (await queries.ownByNames(tx, ctx.actor.user_id, names)).map(({ name, id }) => [name, id]),
    );
    if (known.size > 0 && !replace) {
      const list = [...known.keys()].map((name) => `"${name}"`).join(', ');
      throw conflict(`You already have skills of these names: ${list}`, { names: [...known.keys()] });
    }
    const made = new Map<string, string>();
    // In the same order in every import: two that lock the same skills would otherwise wait for each other.
    for (const contents of skills.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const id = known.get(contents.name) ?? (await addSkill(tx, ctx, contents));
      if (known.has(contents.name)) await replaceSkill(tx, ctx, { id, contents });
      made.set(contents.name, id);
    }
    return names.flatMap((name) => made.get(name) ?? []);
  });
  const made = await Promise.all(ids.map((id) => requireVisible(ctx, id)));
  return { skills: made.map(toSummary), skipped };
}

async function replaceSkill(
  tx: Db,
  ctx: Writer,
  { id, contents }: { readonly id: string; readonly contents: SkillContents },
): Promise<void> {
  const skill = await lockOwn({ ...ctx, db: tx }, id);
  const { timeout_seconds: _usual, ...changes } = contents;
  await saveChanges(tx, ctx, { skill, changes });
}

/** SKILL.md and the files in a folder of the skill's name, as `importSkills` reads them. */
export async function exportSkill(
  ctx: Needs<'db' | 'actor'>,
  id: string,
): Promise<{ filename: string; stream: NodeJS.ReadableStream }> {
  const { name, content, files, updated_at } = await readSkill(ctx, id);
  const folder = safeSegment(name);
  const mtime = new Date(updated_at);
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(content), `${folder}/${SKILL_FILE}`, { mtime });
  for (const file of files) zip.addBuffer(toBytes(file), `${folder}/${file.path}`, { mtime });
  zip.end();
  return { filename: `${folder}.zip`, stream: zip.outputStream };
}
