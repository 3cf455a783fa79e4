import { isJsonObject } from '@millrace/engine';
import { splitAt } from '../../kit/text/shell-words.ts';
import { needsQuotes } from '../curl/body/modifiers.ts';
import {
  type CurlForm,
  credentialIn,
  emptyForm,
  type FormBody,
  type Pair,
  type PartRow,
} from './curl-form.ts';
import { encodedText, inlineText, isEmptyPair, isInline } from './pairs.ts';
import { readForm } from './read.ts';
import { changeLiterals, joined, parseParts, quote } from './text.ts';

/**
 * The command of a form. Given the text that the form was read from, a form without changes gives that very text;
 * rows without a name and a value are left out.
 */
export function printForm(form: CurlForm, origin?: string): string {
  if (origin !== undefined) {
    const reading = readForm(origin);
    if ('form' in reading && isSame(reading.form, form)) return origin;
  }
  if (isSame(form, emptyForm())) return '';
  const { address, query } = printAddress(form);
  const start = [
    'curl',
    ...form.quiet,
    ...(form.follow_redirects ? ['-L'] : []),
    ...(form.insecure ? ['-k'] : []),
    ...(form.timeout.trim() === '' ? [] : [`-m ${quote(form.timeout)}`]),
    ...printMethod(form),
    ...(address === '' ? [] : [printUrl(address)]),
  ].join(' ');
  return [start, ...query, ...printHeaders(form), ...printAuth(form), ...printBody(form.body)].join(
    ' \\\n  ',
  );
}

const isSame = (one: CurlForm, other: CurlForm): boolean => sortedText(one) === sortedText(other);

/** JSON with the keys in order, as forms are built in several places. */
const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    isJsonObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

function printMethod({ method, body }: CurlForm): string[] {
  const implied = printBody(body).some((option) => !option.startsWith('-H')) ? 'POST' : 'GET';
  if (method === implied || method === '') return [];
  return method === 'HEAD' ? ['-I'] : [`-X ${quote(method)}`];
}

/** An address that looks like an option or like a part of a shell needs its option. */
const printUrl = (address: string): string =>
  /^[-|;&<>]/.test(address) ? `--url ${quote(address)}` : quote(address);

/** Values of expressions can be encoded by options only; everything before the first of them is in the address. */
function printAddress(form: CurlForm): { address: string; query: string[] } {
  const { url, fragment } = splitFragment(form);
  const rows = form.query.filter((row) => !isEmptyPair(row));
  const first = rows.findIndex((row) => !isInline(row));
  const inline = first < 0 ? rows : rows.slice(0, first);
  const separator = splitAt(parseParts(url), '?') ? '&' : '?';
  const text = inline.length === 0 ? '' : separator + inline.map(inlineText).join('&');
  return {
    address: `${url}${text}${fragment === '' ? '' : `#${fragment}`}`,
    query: rows.slice(inline.length).map((row) => `--url-query ${quote(queryText(row))}`),
  };
}

/** A `#` may be typed into the address, and the query belongs before it. */
function splitFragment({ url, fragment }: CurlForm): Pick<CurlForm, 'url' | 'fragment'> {
  const split = splitAt(parseParts(url), '#');
  return split ? { url: joined(split[0]), fragment: joined(split[1]) + fragment } : { url, fragment };
}

const queryText = (row: Pair): string =>
  row.raw || row.written !== undefined ? `+${inlineText(row)}` : encodedText(row);

const printHeader = (name: string, value: string): string =>
  `-H ${quote(name === '' ? value : `${name}:${value === '' ? '' : ` ${value}`}`)}`;

const printHeaders = ({ headers }: CurlForm): string[] =>
  headers
    .filter(({ name, value }) => name !== '' || value !== '')
    .map(({ name, value }) => printHeader(name, value));

function printAuth({ auth }: CurlForm): string[] {
  if (auth.kind === 'none' || auth.value.trim() === '') return [];
  if (auth.kind === 'basic') return [`-u ${quote(auth.value)}`];
  if (auth.kind === 'bearer') return [printHeader('Authorization', `Bearer ${auth.value}`)];
  return credentialIn(auth.value) === undefined ? [] : [printHeader('', auth.value)];
}

function printBody(body: FormBody): string[] {
  switch (body.kind) {
    case 'none':
      return [];
    case 'json':
    case 'raw':
      return [...printType(body.type), `--data-raw ${quote(body.text)}`];
    case 'form': {
      const rows = body.rows.filter((row) => !isEmptyPair(row));
      return rows.length === 0 ? [] : [...printType(body.type), ...printRows(rows)];
    }
    case 'multipart':
      return body.rows
        .filter(({ name, value, is_file }) => name !== '' || value !== '' || is_file)
        .map(printPart);
    case 'file':
      return [...printType(body.type), `--data-binary ${quote(`@${body.file}`)}`];
    default:
      return body satisfies never;
  }
}

const printType = (type: string): string[] => (type.trim() === '' ? [] : [printHeader('Content-Type', type)]);

/** Neighbours that need no encoding by an option share one. */
function printRows(rows: readonly Pair[]): string[] {
  const options: string[] = [];
  let inline: string[] = [];
  const close = () => {
    if (inline.length > 0) options.push(`--data-raw ${quote(inline.join('&'))}`);
    inline = [];
  };
  for (const row of rows) {
    if (isInline(row)) {
      inline.push(inlineText(row));
      continue;
    }
    close();
    options.push(`--data-urlencode ${quote(encodedText(row))}`);
  }
  close();
  return options;
}

function printPart({ name, value, filename, type, is_file }: PartRow): string {
  const modifiers = [
    ...(type === '' ? [] : [`;type=${inQuotes(type)}`]),
    ...(filename === '' ? [] : [`;filename=${inQuotes(filename)}`]),
  ].join('');
  if (is_file) return `-F ${quote(`${name}=@${inQuotes(value)}${modifiers}`)}`;
  return modifiers === ''
    ? `--form-string ${quote(`${name}=${value}`)}`
    : `-F ${quote(`${name}=${inQuotes(value)}${modifiers}`)}`;
}

/** A text that is not read as a file or as a modifier. */
function inQuotes(text: string): string {
  if (!needsQuotes(text)) return text;
  const escaped = changeLiterals(parseParts(text), (literal) =>
    literal.replaceAll(/["\\]/g, String.raw`\$&`),
  );
  return `"${joined(escaped)}"`;
}
