import type { LibraryFile } from '@millrace/contracts';
import { SKILL_FILE } from '@millrace/nodes/skill-path';

/** The contents of one version of a skill, as far as they are compared. */
export interface SkillContent {
  readonly content: string;
  readonly files: readonly LibraryFile[];
  readonly timeout_seconds: number;
}

export interface FileChange {
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent where one of the two is no text. */
  readonly texts?: { readonly before: string; readonly after: string };
}

const allFiles = ({ content, files }: SkillContent): LibraryFile[] => [
  { path: SKILL_FILE, content, encoding: 'text' },
  ...files,
];

function compareFiles(
  path: string,
  before: LibraryFile | undefined,
  after: LibraryFile | undefined,
): FileChange | undefined {
  if (before?.content === after?.content && before?.encoding === after?.encoding) return undefined;
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const isText = [before, after].every((file) => file?.encoding !== 'base64');
  if (!isText) return { path, kind };
  return { path, kind, texts: { before: before?.content ?? '', after: after?.content ?? '' } };
}

/** Which files differ between two versions, SKILL.md first. */
export function changesBetween(before: SkillContent, after: SkillContent): FileChange[] {
  const [old, now] = [before, after].map((one) => new Map(allFiles(one).map((file) => [file.path, file])));
  const paths = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...paths].flatMap((path) => compareFiles(path, old?.get(path), now?.get(path)) ?? []);
}
