import { isJsonObject, type Json, type JsonObject, printValue, readText } from '@millrace/engine';
import { Params } from '../../source/params.ts';
import { NotConvertible, type Target } from '../kind.ts';

/** How a request of n8n reads further pages, as the HTTP node here has it. */
export interface ImportedPages {
  readonly data: JsonObject;
  /** The parameter of the address with the number of the first page, which n8n adds. */
  readonly first?: { readonly name: string; readonly value: string };
}

const SEVERAL = 'it reads further pages in a way that the node here does not support';
/** n8n reads as many pages as there are. */
const MOST_PAGES = 10_000;
const MOST_PAUSE_S = 60;
const PATH = /^\$response\.body((?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[\s*(["'])[^"'.\]]+\2\s*\])*)$/;

/** Whether a request of n8n reads further pages. */
export function hasPages(parameters: JsonObject): boolean {
  const pages = new Params(parameters).get('options.pagination.pagination');
  return isJsonObject(pages) && pages['paginationMode'] !== 'off';
}

/** The pages of `options.pagination`; undefined for one request. Throws `NotConvertible`. */
export function readPages(
  to: Target,
  answer: { format: string; isFull: boolean },
): ImportedPages | undefined {
  const pages = to.params.get('options.pagination.pagination');
  if (!isJsonObject(pages) || pages['paginationMode'] === 'off') return undefined;
  if (answer.isFull || ['file', 'text', 'string'].includes(answer.format))
    throw new NotConvertible('it reads further pages, and needs more than the JSON body of each');
  const shared = { paginationLimit: readLimit(pages), paginationPause: readPause(pages) };
  const isAddress = pages['paginationMode'] === 'responseContainsNextURL';
  const found = isAddress ? readAddress(pages) : readParameter(to, pages);
  const ends = readEnd(pages, found.data);
  for (const line of ends.lines) to.say(line, 'curl');
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
  if (/^\$response\.headers\??(?:\.link\b|(?:\?\.)?\[["']link["']\])[\s\S]*\bnext\b/i.test(code))
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
  const offset = /^\$pageCount\s*\*\s*(\d+)$/.exec(code);
  if (page || offset) {
    const value = page?.[1] ?? '0';
    requireFree(to, name);
    if (place === 'body')
      to.say(`The body must have "${name}" with the number of the first page, ${value}`, 'curl');
    const counting = page
      ? { pagination: 'page' }
      : { pagination: 'offset', paginationStep: Number(offset?.[1]) };
    const data = { ...counting, ...named };
    return place === 'body' ? { data } : { data, first: { name, value } };
  }
  throw new NotConvertible(`${SEVERAL}: "${name}" is "${readText(row['value'])}"`);
}

/** The number counts from its value in the address, to which n8n would add another one. */
function requireFree(to: Target, name: string): void {
  const address = to.params.text('url').replaceAll(/\{\{[\s\S]*?\}\}/g, '');
  const query = address.split('?').slice(1).join('?');
  if (query.split('&').some((pair) => new URLSearchParams(pair).has(name)))
    throw new NotConvertible(`${SEVERAL}: its address has a parameter "${name}" already`);
}

/** Comparisons that say that a list has ended, or that it is shorter than a full page. */
const EMPTY_LIST =
  /^!?\s*(\$response\.body[^\s=<>!]*?)\??(?:\.length(?:\s*(?:===?\s*0|<\s*1|(<=?\s*\d+)))?|\.isEmpty\(\))$/;
const MISSING =
  /^(?:!\s*(\$response\.body[^\s=<>!]*)|(\$response\.body[^\s=<>!]*)\s*===?\s*(?:null|undefined|''|""))$/;

interface End {
  readonly data: JsonObject;
  /** For the report. */
  readonly lines: readonly string[];
}

const LIST_LINE =
  'The pages end at an empty list; where the response is an object, set "List in the response"';
const SHORT_LINE =
  'The pages end at an empty list, where n8n ends at a short one: there may be one request more';

function readEnd(pages: JsonObject, { pagination, paginationNext }: JsonObject): End {
  const isCounted = pagination === 'page' || pagination === 'offset';
  const when = readText(pages['paginationCompleteWhen']) || 'responseIsEmpty';
  if (when === 'responseIsEmpty') return { data: {}, lines: isCounted ? [LIST_LINE] : [] };
  const unsupported = (end: string) => new NotConvertible(`${SEVERAL}: they end when ${end}`);
  if (when === 'receiveSpecificStatusCodes') {
    const paginationEnd = readText(pages['statusCodesWhenComplete']);
    if (!isCounted || !/^[\d\s,]+$/.test(paginationEnd))
      throw unsupported(`the status is "${paginationEnd}"`);
    return { data: { paginationEnd }, lines: [LIST_LINE] };
  }
  const code = codeIn(pages['completeExpression']);
  const list = EMPTY_LIST.exec(code);
  const isNegated = code.startsWith('!');
  const path = list && isNegated === code.endsWith('.length') ? pathIn(list[1] ?? '') : undefined;
  if (path !== undefined && isCounted) {
    // n8n hands the responses on, and a list only where the response is one.
    const output = path === '' ? {} : { paginationOutput: 'pages' };
    return { data: { paginationItems: path, ...output }, lines: list?.[2] ? [SHORT_LINE] : [] };
  }
  const missing = MISSING.exec(code);
  const gone = missing && pathIn(missing[1] ?? missing[2] ?? '');
  if (gone !== null && gone !== undefined && gone === paginationNext) return { data: {}, lines: [] };
  throw unsupported(`"${readText(pages['completeExpression'])}"`);
}

function readLimit(pages: JsonObject): number {
  if (pages['limitPagesFetched'] !== true) return MOST_PAGES;
  const most = Number(pages['maxRequests'] ?? 100);
  if (Number.isInteger(most) && most >= 1) return Math.min(most, MOST_PAGES);
  throw new NotConvertible(`${SEVERAL}: at most "${printValue(pages['maxRequests'] ?? '')}" of them`);
}

function readPause(pages: JsonObject): number {
  const pause_s = Number(pages['requestInterval'] ?? 0) / 1000;
  if (pause_s >= 0 && pause_s <= MOST_PAUSE_S) return pause_s;
  throw new NotConvertible(
    `${SEVERAL}: the pause between them is "${printValue(pages['requestInterval'] ?? '')}"`,
  );
}
