import { NodeFailure } from '@millrace/engine';
import { literalText, splitAt, type Word } from '../../kit/text/shell-words.ts';
import type { CurlCommand } from '../curl/command.ts';
import { findMethod } from '../curl/effect.ts';
import { isOneExpression, parseCurl } from '../curl/parse.ts';
import { readBody } from './body.ts';
import {
  type Auth,
  type CurlForm,
  credentialIn,
  emptyForm,
  type HeaderRow,
  NotShown,
  type Pair,
  type TextOnly,
} from './curl-form.ts';
import { isEmptyPair, readEncoded, readPairs } from './pairs.ts';
import { toFieldText } from './text.ts';

export type FormReading = { readonly form: CurlForm } | { readonly reason: TextOnly };

/** A curl text as a form, or why it can only be shown as text. Never throws. */
export function readForm(text: string): FormReading {
  if (text.trim() === '') return { form: emptyForm() };
  if (isOneExpression(text)) return { reason: { kind: 'expression' } };
  try {
    return { form: toForm(parseCurl(text)) };
  } catch (error) {
    if (error instanceof NotShown) return { reason: error.reason };
    if (error instanceof NodeFailure) return { reason: { kind: 'unreadable', message: error.message } };
    throw error;
  }
}

function toForm(command: CurlCommand): CurlForm {
  if (command.ignored.length > 0) {
    throw new NotShown({ kind: 'options', options: [...new Set(command.ignored)] });
  }
  if (command.puts_file && endsWithSlash(command.url ?? [])) {
    throw new NotShown({ kind: 'options', options: ['-T'] });
  }
  const { auth, rows } = readHeaders(command);
  const pieces = command.data_in_query ? [] : command.pieces;
  const { body, headers } = readBody(pieces, rows);
  return {
    method: readMethod(command),
    ...readAddress(command),
    headers,
    auth,
    body,
    follow_redirects: command.follow_redirects,
    insecure: command.insecure,
    timeout: toFieldText(command.max_time ?? []).trim(),
    quiet: [...new Set(command.quiet)],
  };
}

/** There `-T` adds the name of the file, which the form has no field for. An expression may end with one, too. */
function endsWithSlash(url: Word): boolean {
  const [path = ''] = (literalText(url) ?? '/').split(/[?#]/);
  return path.endsWith('/') || /^(?:https?:\/\/)?[^/]*$/i.test(path);
}

const readMethod = (command: CurlCommand): string => findMethod(command) ?? toFieldText(command.method ?? []);

function readAddress(command: CurlCommand): Pick<CurlForm, 'url' | 'query' | 'fragment'> {
  const [address, fragment] = splitAt(command.url ?? [], '#') ?? [command.url ?? [], []];
  const [url, query] = splitAt(address, '?') ?? [address, []];
  const pieces = [...command.query, ...(command.data_in_query ? command.pieces : [])];
  const added = pieces.flatMap(({ kind, word }): Pair[] => {
    if (kind === 'data') return readPairs(word);
    const pair = kind === 'urlencode' ? readEncoded(word) : undefined;
    if (!pair) throw new NotShown({ kind: 'body' });
    return isEmptyPair(pair) ? [] : [pair];
  });
  return { url: toFieldText(url), query: [...readPairs(query), ...added], fragment: toFieldText(fragment) };
}

function readHeader(word: Word): HeaderRow {
  const split = splitAt(word, ':');
  if (!split) return { name: '', value: requireText(toFieldText(word).trim(), '-H') };
  return { name: requireText(toFieldText(split[0]).trim(), '-H'), value: toFieldText(split[1]).trim() };
}

/** An option without a text would be a row that nothing is written for. */
function requireText(text: string, option: string): string {
  if (text.trim() === '') throw new NotShown({ kind: 'options', options: [option] });
  return text;
}

const isNamed = (row: HeaderRow, name: string): boolean => row.name.toLowerCase() === name.toLowerCase();

function readHeaders(command: CurlCommand): { auth: Auth; rows: HeaderRow[] } {
  const rows = command.headers.map(readHeader);
  const add = (name: string, option: string, word: Word | undefined) => {
    if (!word) return;
    if (rows.some((row) => isNamed(row, name))) throw new NotShown({ kind: 'twice', what: option });
    const value = toFieldText(word).trim();
    // Without a value only this form sends the header.
    rows.push(value === '' ? { name: '', value: `${name};` } : { name, value });
  };
  add('User-Agent', '-A', command.user_agent);
  add('Referer', '-e', command.referer);
  add('Cookie', '-b', requireCookies(command.cookie));
  const auth = readAuth(command, rows);
  return { auth: auth.auth, rows: rows.filter((row) => row !== auth.row) };
}

/** A name without `=` would be a file, which a run refuses. */
function requireCookies(word: Word | undefined): Word | undefined {
  const text = word && literalText(word);
  if (text !== undefined && !text.includes('=')) throw new NotShown({ kind: 'options', options: ['-b'] });
  return word;
}

/** `row`: the header that the sign-in replaces. */
function readAuth(
  { user, bearer }: CurlCommand,
  rows: readonly HeaderRow[],
): { auth: Auth; row?: HeaderRow | undefined } {
  const named = rows.filter((row) => isNamed(row, 'Authorization'));
  const [first] = named;
  if (named.length + (user ? 1 : 0) + (bearer ? 1 : 0) > 1) {
    throw new NotShown({ kind: 'twice', what: 'Authorization' });
  }
  if (user) return { auth: { kind: 'basic', value: requireText(toFieldText(user), '-u') } };
  if (bearer)
    return { auth: { kind: 'bearer', value: requireText(toFieldText(bearer).trim(), '--oauth2-bearer') } };
  const [, token] = (first && /^bearer\s+(\S.*)$/is.exec(first.value)) ?? [];
  if (token !== undefined) return { auth: { kind: 'bearer', value: token }, row: first };
  const whole = first
    ? undefined
    : rows.find((row) => row.name === '' && credentialIn(row.value) !== undefined);
  return whole ? { auth: { kind: 'header', value: whole.value }, row: whole } : { auth: { kind: 'none' } };
}
