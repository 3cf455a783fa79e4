import { jsonQuoting } from '@millrace/engine';
import { literalText, splitAt } from '../../kit/text/shell-words.ts';
import { isJsonType } from '../curl/body/content-type.ts';
import { behindAt } from '../curl/body/file-word.ts';
import { splitModifiers } from '../curl/body/modifiers.ts';
import type { DataPiece } from '../curl/command.ts';
import { type FormBody, type HeaderRow, NotShown, type Pair, type PartRow } from './curl-form.ts';
import { isEmptyPair, readEncoded, readPairs } from './pairs.ts';
import { toFieldText } from './text.ts';

const TYPE = 'content-type';
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** The body of a command, and its headers without those that follow from the body. */
export function readBody(
  pieces: readonly DataPiece[],
  headers: readonly HeaderRow[],
): { body: FormBody; headers: readonly HeaderRow[] } {
  const types = headers.filter(({ name, value }) => name.toLowerCase() === TYPE && value !== '');
  if (pieces.length === 0) return { body: { kind: 'none' }, headers };
  if (types.length > 1) throw new NotShown({ kind: 'twice', what: 'Content-Type' });
  const [type] = types;
  if (pieces.some(({ kind }) => kind === 'form' || kind === 'form_string')) {
    return { body: { kind: 'multipart', rows: pieces.map(readPart) }, headers };
  }
  const body = dataBody(pieces, type?.value);
  const others = headers.filter((row) => row !== type);
  const accepts = others.some(({ name }) => name.toLowerCase() === 'accept');
  const isShort = pieces.some(({ kind }) => kind === 'json') && !accepts;
  return { body, headers: isShort ? [...others, { name: 'Accept', value: 'application/json' }] : others };
}

function dataBody(pieces: readonly DataPiece[], type: string | undefined): FormBody {
  const isJson = isJsonType(type);
  const file = pieces.find(({ kind }) => kind === 'file');
  if (file) {
    if (pieces.length > 1) throw new NotShown({ kind: 'body' });
    return { kind: 'file', file: toFieldText(file.word), type: type ?? '' };
  }
  if (pieces.some(({ kind }) => kind === 'json')) {
    const isOne = pieces.every(({ kind }) => kind === 'json') && (type === undefined || isJson);
    const [only] = pieces;
    if (!isOne || pieces.length > 1 || !only) throw new NotShown({ kind: 'body' });
    return { kind: 'json', text: toFieldText(only.word), type: type ?? 'application/json' };
  }
  if (!isJson && (type === undefined || FORM_TYPE.test(type))) {
    const rows = formRows(pieces);
    if (rows) return { kind: 'form', rows, type: type ?? '' };
  }
  const words = pieces.map(({ word }) => word);
  const isSingle = words.length === 1 || (!isJson && words.every((word) => literalText(word) !== undefined));
  if (!isSingle || pieces.some(({ kind }) => kind !== 'data')) throw new NotShown({ kind: 'body' });
  const text = words.map(toFieldText).join('&');
  return isJson ? { kind: 'json', text, type } : { kind: 'raw', text, type: type ?? '' };
}

/** Data options as names and values; undefined when one of them is another text. */
function formRows(pieces: readonly DataPiece[]): Pair[] | undefined {
  const rows: Pair[] = [];
  for (const { kind, word } of pieces) {
    if (kind === 'urlencode') {
      const pair = readEncoded(word);
      if (!pair || isEmptyPair(pair)) return undefined;
      rows.push(pair);
      continue;
    }
    // A run escapes values within JSON, which it does not in other texts.
    if (jsonQuoting(word) !== null || !splitAt(word, '=')) return undefined;
    const pairs = readPairs(word);
    if (pairs.some(({ written }) => written !== undefined && !written.includes('='))) return undefined;
    rows.push(...pairs);
  }
  return rows.length > 0 ? rows : undefined;
}

function readPart({ kind, word }: DataPiece): PartRow {
  const split = splitAt(word, '=');
  const isEmpty = word.every(({ text }) => text === '' || text === '=');
  if (!split || isEmpty || (kind !== 'form' && kind !== 'form_string')) throw new NotShown({ kind: 'body' });
  const name = toFieldText(split[0]);
  if (kind === 'form_string')
    return { name, value: toFieldText(split[1]), filename: '', type: '', is_file: false };
  const file = behindAt(split[1]);
  const { content, modifiers } = splitModifiers(file ?? split[1]);
  const modifier = (key: string): string => {
    const [first, ...others] = modifiers.filter((one) => one.key === key);
    if (others.length > 0) throw new NotShown({ kind: 'twice', what: `;${key}=` });
    return first ? toFieldText(first.word) : '';
  };
  return {
    name,
    value: toFieldText(content),
    filename: modifier('filename'),
    type: modifier('type'),
    is_file: file !== undefined,
  };
}
