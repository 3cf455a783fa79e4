import type { createSkill, SkillSummary } from '@millrace/contracts';
import { readText } from '@millrace/engine/json';
import type { z } from 'zod';
import { isBinary, skillRowFiles } from '../../../features/skill/skill-row-files.ts';
import { formatTimeout, type SkillRow } from './skill-rows.ts';

const USUAL_TIMEOUT_SECONDS = 30;

/** Id of the skill of the library that a row names; empty for a skill that the agent has itself. */
export const readLibraryId = ({ librarySkillId }: SkillRow): string => readText(librarySkillId);

/** The fixed version; null for always the newest one. */
export const readLibraryVersion = ({ libraryVersion }: SkillRow): number | null =>
  typeof libraryVersion === 'number' ? libraryVersion : null;

/** @param version empty: always the newest one */
export function withLibraryVersion(row: SkillRow, version: string): SkillRow {
  const { libraryVersion: _, ...rest } = row;
  return version === '' ? rest : { ...rest, libraryVersion: Number(version) };
}

/** The row of an agent that uses a skill of the library. */
export const libraryRow = ({ id, name }: Pick<SkillSummary, 'id' | 'name'>): SkillRow => ({
  name,
  content: '',
  librarySkillId: id,
});

/** A skill that an agent has itself, as the library takes it. */
export function toSkillBody(row: SkillRow): Required<z.input<typeof createSkill.body>> {
  const timeout = formatTimeout(row);
  return {
    name: row.name,
    content: row.content,
    files: skillRowFiles(row['files']).map((file) => ({
      path: file.path,
      content: file.content,
      encoding: isBinary(file) ? 'base64' : 'text',
    })),
    timeout_seconds: /^\d+$/.test(timeout) ? Number(timeout) : USUAL_TIMEOUT_SECONDS,
  };
}
