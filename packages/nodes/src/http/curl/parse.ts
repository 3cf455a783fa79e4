import { findSpans } from '@millrace/engine';
import {
  curlFailure,
  literalStart,
  literalText,
  splitWords,
  type Word,
  withoutStart,
} from '../../kit/text/shell-words.ts';
import { type CurlCommand, emptyCommand, setUrl } from './command.ts';
import { FLAGS, findFlag, findOption, IGNORED_WITH_VALUE, LETTERS, OPTIONS } from './options.ts';

/** Whether a field is nothing but one expression, which may stand for a whole command or for an address. */
export function isOneExpression(text: string): boolean {
  const spans = findSpans(text);
  return spans.length === 1 && spans[0]?.text === text.trim();
}

/**
 * Reads a curl command. Fails with kind `params` and field `curl` when it is no single, complete command. With
 * `literal` a `$` begins no expression.
 */
export function parseCurl(text: string, { literal = false } = {}): CurlCommand {
  const words = splitWords(text, { literal });
  if (/^curl(\.exe)?$/i.test(literalText(words[0] ?? []) ?? '')) words.shift();
  const command = emptyCommand();
  let at = 0;
  while (at < words.length) at = readWord(command, words, at);
  return command;
}

/** Reads the word at an index with the value behind it, if it takes one; returns the index of the next word. */
function readWord(command: CurlCommand, words: readonly Word[], at: number): number {
  const word = words[at] as Word;
  const start = literalStart(word);
  if (start.startsWith('--') && start.length > 2) return readLong(command, words, at);
  if (start.startsWith('-') && start.length > 1) return readLetters(command, words, at);
  if (/^[|;&<>]/.test(start)) {
    throw curlFailure(`"${start}" belongs to a shell; keep one curl command only`);
  }
  setUrl(command, word);
  return at + 1;
}

function readLong(command: CurlCommand, words: readonly Word[], at: number): number {
  const word = words[at] as Word;
  const [name = ''] = literalStart(word).split('=', 1);
  const isJoined = literalStart(word).includes('=');
  const flag = findFlag(name);
  if (flag) {
    flag(command);
    return at + 1;
  }
  const option = findOption(name);
  if (!option && !IGNORED_WITH_VALUE.has(name)) {
    command.ignored.push(name);
    return at + 1;
  }
  const value = isJoined ? withoutStart(word, name.length + 1) : words[at + 1];
  applyOption(command, name, value);
  return isJoined ? at + 1 : at + 2;
}

/** `-sSL`, `-XPOST` and `-H "…"`: letters without a value may share one dash. */
function readLetters(command: CurlCommand, words: readonly Word[], at: number): number {
  let rest = withoutStart(words[at] as Word, 1);
  while (literalStart(rest) !== '') {
    const letter = literalStart(rest).charAt(0);
    rest = withoutStart(rest, 1);
    const name = LETTERS[letter];
    const flag = name === undefined ? undefined : FLAGS[name];
    if (flag) {
      flag(command);
    } else if (name !== undefined && (OPTIONS[name] || IGNORED_WITH_VALUE.has(name))) {
      const isJoined = rest.length > 0;
      applyOption(command, name, isJoined ? rest : words[at + 1]);
      return isJoined ? at + 1 : at + 2;
    } else {
      command.ignored.push(`-${letter}`);
    }
  }
  return at + 1;
}

function applyOption(command: CurlCommand, name: string, value: Word | undefined): void {
  if (value === undefined) throw curlFailure(`${name} needs a value`);
  const option = OPTIONS[name];
  if (option) option(command, value);
  else command.ignored.push(name);
}
