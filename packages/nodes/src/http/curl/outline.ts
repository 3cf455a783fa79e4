import type { Word } from '../../kit/text/shell-words.ts';
import type { DataPiece } from './command.ts';
import { findMethod } from './effect.ts';
import { parseCurl } from './parse.ts';

/** The request that a command sends, its expressions still unevaluated in the texts. */
export interface CurlOutline {
  /** Undefined while an expression decides it. */
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: readonly string[];
  /** One text per `--url-query`. */
  readonly query: readonly string[];
  /** One text per `-d` or `-F`. */
  readonly body: readonly string[];
  /** Options that have no effect here. */
  readonly ignored: readonly string[];
}

const joinParts = (word: Word): string => word.map((part) => part.text).join('');

const outlineHeader = (name: string, word: Word | undefined): string[] =>
  word ? [`${name}: ${joinParts(word)}`] : [];

const toPieceTexts = (pieces: readonly DataPiece[]): string[] =>
  pieces.map(({ kind, word }) => (kind === 'file' ? '@' : '') + joinParts(word));

/** Reads a curl text for people; `problem` says why it cannot be sent. Never throws. */
export function outlineCurl(text: string): CurlOutline | { readonly problem: string } {
  try {
    const command = parseCurl(text);
    if (!command.url) return { problem: 'the address is missing' };
    return {
      method: findMethod(command),
      url: joinParts(command.url),
      query: toPieceTexts(command.query),
      headers: [
        ...command.headers.map(joinParts),
        ...outlineHeader('User-Agent', command.user_agent),
        ...outlineHeader('Referer', command.referer),
        ...outlineHeader('Cookie', command.cookie),
        ...outlineHeader(
          'Authorization',
          command.bearer && [{ kind: 'literal', text: 'Bearer ' }, ...command.bearer],
        ),
      ],
      body: toPieceTexts(command.pieces),
      ignored: command.ignored,
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether a text is a command and not prose that begins with the word; one that cannot be read is taken for a command by its address. */
export function isCurlCommand(text: string): boolean {
  if (!/^\s*curl(\.exe)?\s/i.test(text)) return false;
  return !('problem' in outlineCurl(text)) || /https?:\/\//i.test(text);
}
