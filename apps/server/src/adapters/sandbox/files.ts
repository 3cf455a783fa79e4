import type { JsonObject } from '@millrace/engine';
import { LIMITS } from './containers/limits.ts';

type Files = ReadonlyMap<string, Uint8Array>;

/** Of the files of an answer in base64, with room for their names. */
export const FILES_ANSWER_SIZE = Math.ceil((LIMITS.files_size * 4) / 3) + LIMITS.logs;

export const MOST_FILES = `${LIMITS.files} files or ${LIMITS.files_size / 1e6} MB`;

/** Tells a program about the files that come with its job and those that it may leave. */
export const filesInput = (files: Files): JsonObject => ({
  files: [...files].map(([path, bytes]) => ({ path, content: Buffer.from(bytes).toString('base64') })),
  max_files: LIMITS.files,
  max_size: LIMITS.files_size,
});

/** The answer that follows the last marker, and the lines after it; undefined without a marker. */
export function linesAfter(
  marker: string,
  text: string,
): { readonly answer: string; readonly contents: readonly string[] } | undefined {
  const at = text.lastIndexOf(marker);
  if (at < 0) return undefined;
  const [answer = '', ...contents] = text.slice(at).split('\n');
  return { answer, contents };
}

/** The files that a program left, by their paths. Undefined for what only code that forged its answer can have written. */
export function decodeFiles(names: unknown, contents: readonly string[]): Files | undefined {
  if (!Array.isArray(names) || names.length > LIMITS.files || names.length !== contents.length)
    return undefined;
  const files = new Map<string, Uint8Array>();
  for (const [place, name] of names.entries()) {
    if (typeof name !== 'string') return undefined;
    files.set(name, Buffer.from(contents[place] ?? '', 'base64'));
  }
  return files;
}
