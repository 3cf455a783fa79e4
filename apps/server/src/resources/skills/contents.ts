import { LIBRARY_LIMITS, type LibraryFile, type LibraryFileInput } from '@millrace/contracts';
import { pathProblem, plainPath, SKILL_FILE } from '@millrace/nodes/skill-path';
import { skillFacts } from '@millrace/nodes/skill-text';
import { AppError, invalidField } from '../../core/app-error.ts';
import type { NewVersion, VersionRow } from './queries.ts';

const LONGEST_DESCRIPTION = 2_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The contents of one version of a skill. */
export interface SkillContents {
  readonly name: string;
  readonly content: string;
  readonly files: readonly LibraryFile[];
  readonly timeout_seconds: number;
}

export const toBytes = ({ content, encoding }: LibraryFile): Buffer =>
  Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');

/** Guarantee: only `checkedFiles` decides what the column holds. */
export const storedFiles = (column: unknown): LibraryFile[] => column as LibraryFile[];

const isBase64 = (text: string): boolean => text.length % 4 === 0 && BASE64.test(text);

const MAIN = SKILL_FILE.toLowerCase();

/** The problem that keeps a path from being used; `seen` has those of the files before it, and gets it. */
export function fileProblem(given: string, seen: Set<string>): string | undefined {
  const problem = pathProblem(given);
  if (problem) return problem;
  const key = plainPath(given).toLowerCase();
  if (key === MAIN) return 'is the text of the skill, not one of its files';
  // In an archive each marks the folder of a skill.
  if (key.endsWith(`/${MAIN}`)) return 'would be a skill inside this one; give the file another name';
  if (seen.has(key)) return 'is a duplicate; paths are not case-sensitive';
  seen.add(key);
  return undefined;
}

/** Refuses a file that is too large, by its name. */
export function requireFileSize(path: string, bytes: number): void {
  if (bytes > LIBRARY_LIMITS.file_bytes) {
    throw new AppError('too_large', `"${path}" is larger than ${LIBRARY_LIMITS.file_bytes} bytes`);
  }
}

/** Files with plain paths; refuses those that cannot be used, with the place of the first. */
export function checkedFiles(files: readonly LibraryFileInput[]): LibraryFile[] {
  const seen = new Set<string>();
  return files.map(({ path: given, content, encoding }, at) => {
    const refused = (field: string, message: string) => invalidField(['body', 'files', at, field], message);
    const problem = fileProblem(given, seen);
    if (problem) throw refused('path', `"${given}" ${problem}`);
    const path = plainPath(given);
    if (encoding === 'base64') {
      // The fewest bytes that a text of that length can hold: one that is far too long is not read.
      requireFileSize(path, (content.length / 4) * 3 - 2);
      if (!isBase64(content)) throw refused('content', `"${path}" is not base64`);
    }
    return { path, content, encoding };
  });
}

/** Size of the files and SKILL.md; refuses what is too large, with the name of the file. */
function requireModest({ content, files }: SkillContents): number {
  let total = Buffer.byteLength(content);
  for (const file of files) {
    const size = Buffer.byteLength(file.content, file.encoding === 'base64' ? 'base64' : 'utf8');
    requireFileSize(file.path, size);
    total += size;
  }
  if (total > LIBRARY_LIMITS.total_bytes) {
    throw new AppError(
      'too_large',
      `The files of the skill are larger than ${LIBRARY_LIMITS.total_bytes} bytes together`,
    );
  }
  return total;
}

/** A version as it is stored. */
export function versionRow(
  contents: SkillContents,
  place: Pick<VersionRow, 'skill_id' | 'number' | 'created_by_id' | 'created_at'>,
): NewVersion {
  const size_bytes = requireModest(contents);
  const { name, content, files, timeout_seconds } = contents;
  const description = skillFacts(content).description.slice(0, LONGEST_DESCRIPTION);
  return {
    ...place,
    name,
    description,
    content,
    files,
    timeout_seconds,
    file_count: files.length,
    size_bytes,
  };
}

export const toContents = ({ name, content, files, timeout_seconds }: VersionRow): SkillContents => ({
  name,
  content,
  files: storedFiles(files),
  timeout_seconds,
});

export const areSame = (one: SkillContents, other: SkillContents): boolean =>
  one.name === other.name &&
  one.content === other.content &&
  one.timeout_seconds === other.timeout_seconds &&
  JSON.stringify(one.files) === JSON.stringify(other.files);
