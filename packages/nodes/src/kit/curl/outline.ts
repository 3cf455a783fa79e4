import type { DataPiece } from './command.ts';
import { methodOf } from './effect.ts';
import { parseCurl } from './parse.ts';
import type { Word } from './words.ts';

/** What a command sends, its expressions still unevaluated in the texts. */
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

const textOf = (word: Word): string => word.map((part) => part.text).join('');

const headersOf = (name: string, word: Word | undefined): string[] =>
  word ? [`${name}: ${textOf(word)}`] : [];

const bodyOf = (pieces: readonly DataPiece[]): string[] => pieces.map(({ word }) => textOf(word));

/** Reads a curl text for people; `problem` says why it cannot be sent. Never throws. */
export function outlineCurl(text: string): CurlOutline | { readonly problem: string } {
  try {
    const command = parseCurl(text);
    if (!command.url) return { problem: 'the address is missing' };
    return {
      method: methodOf(command),
      url: textOf(command.url),
      query: bodyOf(command.query),
      headers: [
        ...command.headers.map(textOf),
        ...headersOf('User-Agent', command.user_agent),
        ...headersOf('Referer', command.referer),
        ...headersOf('Cookie', command.cookie),
        ...headersOf(
          'Authorization',
          command.bearer && [{ kind: 'literal', text: 'Bearer ' }, ...command.bearer],
        ),
      ],
      body: bodyOf(command.pieces),
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
