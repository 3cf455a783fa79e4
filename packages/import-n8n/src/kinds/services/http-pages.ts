import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { NotConvertible, type Target } from '../kind.ts';

/** How a request of n8n reads further pages, as the HTTP node here has it. */
export interface ImportedPages {
  readonly data: JsonObject;
  /** The parameter of the address with the number of the first page, which n8n adds. */
  readonly first?: { readonly name: string; readonly value: string };
}

const SEVERAL = 'it reads further pages in a way that the node has not here';
/** n8n reads as many pages as there are. */
const MOST_PAGES = 10_000;
const PATH = /^\$response\.body((?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[\s*(["'])[^"'.\]]+\2\s*\])*)$/;

/** The pages of `options.pagination`; undefined for one request. Throws `NotConvertible`. */
export function readPages(
  to: Target,
  answer: { format: string; isFull: boolean },
): ImportedPages | undefined {
  const pages = to.params.get('options.pagination.pagination');
  if (!isJsonObject(pages) || pages['paginationMode'] === 'off') return undefined;
  if (answer.isFull || ['file', 'text', 'string'].includes(answer.format))
    throw new NotConvertible('it reads further pages, and of each of them more than the body or no JSON');
  const shared = { paginationLimit: readLimit(pages), paginationPause: readPause(pages) };
  const isAddress = pages['paginationMode'] === 'responseContainsNextURL';
  const found = isAddress ? readAddress(pages) : readParameter(to, pages);
  const ends = readEnd(pages, found.data);
  if (ends.mayBeObject)
    to.say(
      'The pages end at an empty list; where the response is an object, set "List in the response"',
      'curl',
    );
  return { ...found, data: { ...found.data, ...ends.data, ...shared } };
}

/** The code of a field that is one expression. */
function codeIn(stored: Json | undefined): string {
  const [, code = ''] = /^=?\s*\{\{([\s\S]*)\}\}\s*$/.exec(readText(stored)) ?? [];
  return code.includes('{{') ? '' : code.trim();
}

/** `a.b` of `$response.body.a["b"]`; undefined for other code. */
function pathIn(code: string): string | undefined {
  const plain = code.replace(/\s*(?:\|\||\?\?)\s*(?:''|""|null|undefined)$/, '');
  const [, path] = PATH.exec(plain) ?? [];
  return path
    ?.replaceAll(/(?:\?\.)?\[\s*["']([^"']+)["']\s*\]/g, '.$1')
    .replaceAll('?.', '.')
    .replace(/^\./, '');
}

function readAddress(pages: JsonObject): ImportedPages {
  const code = codeIn(pages['nextURL']);
  const path = pathIn(code);
  if (path !== undefined && path !== '') return { data: { pagination: 'next', paginationNext: path } };
  // The usual expressions take the address out of the header by a pattern.
  if (/^\$response\.headers\b[\s\S]*\blink\b[\s\S]*\bnext\b/i.test(code))
    return { data: { pagination: 'link' } };
  throw new NotConvertible(`${SEVERAL}: the address of the next page is "${readText(pages['nextURL'])}"`);
}

function readParameter(to: Target, pages: JsonObject): ImportedPages {
  const group = pages['parameters'];
  const rows = (isJsonObject(group) && Array.isArray(group['parameters']) ? group['parameters'] : []).filter(
    (row) => isJsonObject(row),
  );
  const [row] = rows;
  if (!row || rows.length > 1) throw new NotConvertible(`${SEVERAL}: ${rows.length} parameters change`);
  const name = readText(row['name']);
  const type = readText(row['type']) || 'qs';
  if (name === '' || name.startsWith('=') || !['qs', 'body'].includes(type))
    throw new NotConvertible(`${SEVERAL}: a ${type === 'headers' ? 'header' : 'parameter'} changes`);
  const place = type === 'qs' ? 'query' : 'body';
  const named = { paginationParameter: name, paginationIn: place };
  const code = codeIn(row['value']);
  const path = pathIn(code);
  if (path !== undefined && path !== '')
    return { data: { pagination: 'token', ...named, paginationNext: path } };
  const page = /^\$pageCount(?:\s*\+\s*(\d+))?$/.exec(code);
  const isOffset = /^\$pageCount\s*\*\s*\d+$/.test(code);
  if (page || isOffset) {
    const value = page?.[1] ?? '0';
    if (place === 'body')
      to.say(`The body must have "${name}" with the number of the first page, ${value}`, 'curl');
    const data = { pagination: page ? 'page' : 'offset', ...named };
    return place === 'body' ? { data } : { data, first: { name, value } };
  }
  throw new NotConvertible(`${SEVERAL}: "${name}" is "${readText(row['value'])}"`);
}

/** Comparisons that say that a list has ended. */
const EMPTY_LIST =
  /^!?\s*(\$response\.body[^\s=<>!]*?)\??(?:\.length(?:\s*(?:===?\s*0|<=?\s*\d+))?|\.isEmpty\(\))$/;
const MISSING =
  /^(?:!\s*(\$response\.body[^\s=<>!]*)|(\$response\.body[^\s=<>!]*)\s*===?\s*(?:null|undefined|''|""))$/;

function readEnd(pages: JsonObject, { pagination, paginationNext }: JsonObject) {
  const isCounted = pagination === 'page' || pagination === 'offset';
  const when = readText(pages['paginationCompleteWhen']) || 'responseIsEmpty';
  if (when === 'responseIsEmpty') return { data: {}, mayBeObject: isCounted };
  if (when === 'receiveSpecificStatusCodes') {
    const paginationEnd = readText(pages['statusCodesWhenComplete']);
    return { data: isCounted ? { paginationEnd } : {}, mayBeObject: isCounted };
  }
  const code = codeIn(pages['completeExpression']);
  const list = EMPTY_LIST.exec(code);
  const isNegated = code.startsWith('!');
  const counts = code.endsWith('.length');
  const path = list && isNegated === counts ? pathIn(list[1] ?? '') : undefined;
  if (path !== undefined) {
    // n8n hands the responses on, and a list only where the response is one.
    const output = path === '' ? {} : { paginationOutput: 'pages' };
    return { data: isCounted ? { paginationItems: path, ...output } : {}, mayBeObject: false };
  }
  const missing = MISSING.exec(code);
  const gone = missing && pathIn(missing[1] ?? missing[2] ?? '');
  if (gone !== null && gone !== undefined && gone === paginationNext) return { data: {}, mayBeObject: false };
  throw new NotConvertible(`${SEVERAL}: they end when "${readText(pages['completeExpression'])}"`);
}

function readLimit(pages: JsonObject): number {
  if (pages['limitPagesFetched'] !== true) return MOST_PAGES;
  const most = Number(pages['maxRequests'] ?? 100);
  if (Number.isInteger(most) && most >= 1) return Math.min(most, MOST_PAGES);
  throw new NotConvertible(`${SEVERAL}: at most "${readText(pages['maxRequests'])}" of them`);
}

function readPause(pages: JsonObject): number {
  const pause_ms = Number(pages['requestInterval'] ?? 0);
  return Number.isFinite(pause_ms) && pause_ms > 0 ? pause_ms / 1000 : 0;
}
