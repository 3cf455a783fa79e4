import type { SkillFile } from '@millrace/contracts';
import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { SKILL_FILE } from '@millrace/nodes/skill-path';

/** A skill as the node stores it; what else it has stays. */
export interface SkillRow extends JsonObject {
  name: string;
  /** The text of SKILL.md. */
  content: string;
}

export function skillRows(value: Json | undefined): SkillRow[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isJsonObject)
    .map((row) => ({ ...row, name: readText(row['name']), content: readText(row['content']) }));
}

/** The files that a builder of skills shows for a row. */
export function listFiles(row: SkillRow): SkillFile[] {
  const others = Array.isArray(row['files']) ? row['files'].filter(isJsonObject) : [];
  return [
    { path: SKILL_FILE, content: row.content },
    ...others
      .filter(({ encoding }) => encoding !== 'base64')
      .map(({ path, content }) => ({ path: readText(path), content: readText(content) })),
  ];
}

/** Seconds for the script, as they are typed; empty for the usual time. */
export function formatTimeout(row: SkillRow): string {
  const { timeoutSeconds } = row;
  return typeof timeoutSeconds === 'number' ? String(timeoutSeconds) : readText(timeoutSeconds);
}

export function withTimeout(row: SkillRow, typed: string): SkillRow {
  const { timeoutSeconds: _, ...rest } = row;
  if (typed.trim() === '') return rest;
  return { ...rest, timeoutSeconds: /^\d+$/.test(typed) ? Number(typed) : typed };
}

/** `name` of the front matter; undefined when there is none. */
function nameIn(content: string): string | undefined {
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(content)?.[1];
  const name = front && /^name:[ \t]*(.+)$/m.exec(front)?.[1];
  return name ? name.trim().replace(/^(["'])(.*)\1$/, '$2') : undefined;
}

/** A row with the files of a builder; files that are no text stay. */
export function withFiles(row: SkillRow, files: readonly SkillFile[]): SkillRow {
  const content = files.find(({ path }) => path === SKILL_FILE)?.content ?? row.content;
  const kept = (Array.isArray(row['files']) ? row['files'] : []).filter(
    (file) => isJsonObject(file) && file['encoding'] === 'base64',
  );
  const texts = files
    .filter(({ path }) => path !== SKILL_FILE)
    .map(({ path, content: text }) => ({ path, content: text, encoding: 'text', mimeType: 'text/plain' }));
  const name = row.name === '' ? (nameIn(content) ?? '') : row.name;
  const { files: _, ...rest } = row;
  const all = [...kept, ...texts];
  return { ...rest, name, content, ...(all.length > 0 ? { files: all } : {}) };
}
