import {
  curlFailure,
  literalStart,
  literalText,
  splitAt,
  type Word,
  withoutStart,
} from '../../../kit/text/shell-words.ts';
import type { DataPiece } from '../command.ts';

/** The id of a stored file, or one of its addresses. Any other text behind an `@` is a path. */
const STORED = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$|\/api\/files\//i;
const FIX =
  'write an expression behind the @ that gives a file of the run, such as @$upload.file, or the id of a stored file';

export const isStoredReference = (text: string): boolean => STORED.test(text);

/** The text that names a file in an error, which may be long or have several lines. */
const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

export const notAFile = (option: string, text: string): string =>
  `${option} gives ${shown(text)}, which is neither the id of a stored file nor a file of a node; paths of a disk cannot be read, so ${FIX}`;

/** The word behind an `@` that is written; undefined when the word begins otherwise. An expression may only be behind it. */
export function behindAt(word: Word): Word | undefined {
  const written = word.filter(({ text }) => text !== '');
  return literalStart(written).startsWith('@') ? withoutStart(written, 1) : undefined;
}

/** Whether an argument sends a file, by itself or as a field of a form. */
export function namesFile({ kind, word }: DataPiece): boolean {
  return kind === 'file' || (kind === 'form' && behindAt(splitAt(word, '=')?.[1] ?? []) !== undefined);
}

/** Refuses a path; what an expression gives is known in a run only. An empty word is one that is still to be written. */
export function requireNoPath(option: string, file: Word): Word {
  const path = literalText(file)?.replaceAll(/^"|"$/g, '').trim() ?? '';
  if (path === '' || isStoredReference(path)) return file;
  throw curlFailure(`${option} reads a file of the disk (${shown(path)}), which a node cannot do; ${FIX}`);
}
