import { type Json, NodeFailure } from '@millrace/engine';
import { nextAddress } from '../../kit/integration/paging.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import { valueAt } from '../../kit/values/list/items.ts';
import { parseNumber } from '../../kit/values/numeric.ts';
import type { CurlRequest } from '../curl/request.ts';
import { type PageParameter, readParameter, withParameter } from './parameter.ts';

export interface Page {
  /** Address that answered, after redirects. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly entries: readonly Json[];
}

export interface Following {
  readonly pagination: 'off' | 'link' | 'next' | 'token' | 'page' | 'offset';
  readonly paginationNext: string;
  readonly paginationParameter: string;
  readonly paginationIn: PageParameter['place'];
  /** Of an offset; zero for the entries of each page. */
  readonly paginationStep: number;
}

/** The address or value that leads from one page to the next. */
export type Lead =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'value'; readonly value: string | number };

/** Whether pages are told apart by a number that counts up, so that only an empty list ends them. */
export const isCounted = ({ pagination }: Pick<Following, 'pagination'>): boolean =>
  pagination === 'page' || pagination === 'offset';

/** The lead to the page behind a page; undefined behind the last one. */
export function findLead(params: Following, request: CurlRequest, page: Page): Lead | undefined {
  switch (params.pagination) {
    case 'off':
      return undefined;
    case 'link':
      return toAddress(nextAddress(page));
    case 'next':
      return toAddress(readNext(params.paginationNext.trim(), page.body));
    case 'token':
      return toValue(readNext(params.paginationNext.trim(), page.body));
    case 'page':
      return toValue(countUp(params, request, Math.min(page.entries.length, 1)));
    case 'offset': {
      const { length } = page.entries;
      return toValue(countUp(params, request, length === 0 ? 0 : params.paginationStep || length));
    }
  }
}

const toAddress = (found: string | number | undefined): Lead | undefined =>
  found === undefined ? undefined : { kind: 'address', address: String(found) };

const toValue = (found: string | number | undefined): Lead | undefined =>
  found === undefined ? undefined : { kind: 'value', value: found };

/** The request of the next page. */
export function buildRequest(params: Following, request: CurlRequest, page: Page, lead: Lead): CurlRequest {
  return lead.kind === 'address'
    ? atAddress(request, page, lead.address)
    : withParameter(request, readPlace(params), lead.value);
}

function readPlace({ paginationParameter, paginationIn }: Following): PageParameter {
  const name = paginationParameter.trim();
  if (name === '') throw refusedParam('paginationParameter', 'must be the name of a parameter');
  return { name, place: paginationIn };
}

/** The address or value that a response names for the next page. Several services name 0 behind the last one. */
function readNext(path: string, body: Json): string | number | undefined {
  if (path === '') throw refusedParam('paginationNext', 'must name a field of the response');
  const value = valueAt(body, path);
  if (value === null || value === '' || value === false || value === 0) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return value;
  const kind = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : 'a truth value';
  throw refusedParam(
    'paginationNext',
    `the response has ${kind} at "${path}", which is neither an address nor a value to send`,
  );
}

/** Credentials of the request are sent with it, so only to the place that they were written for. */
function atAddress(request: CurlRequest, page: Page, address: string): CurlRequest {
  if (!URL.canParse(address, page.url))
    throw upstream(`the next page has no address: "${address.slice(0, 200)}"`);
  const first = new URL(request.url);
  const next = new URL(address, page.url);
  // Services behind a proxy that ends TLS often write their own address without it, and others lead to it.
  const isWeb = ['http:', 'https:'].includes(next.protocol);
  if (!isWeb || next.host !== first.host)
    throw upstream(
      `the next page is at ${isWeb ? next.origin : next.protocol}, where the request with its credentials is not sent; it was for ${first.origin}`,
    );
  if (first.protocol === 'https:') next.protocol = 'https:';
  next.username = '';
  next.password = '';
  return { ...request, url: next.href };
}

/** The next number; undefined when it does not grow. */
function countUp(params: Following, request: CurlRequest, by: number): number | undefined {
  const parameter = readPlace(params);
  const written = readParameter(request, parameter);
  const { name, place } = parameter;
  const where = place === 'query' ? 'address' : 'body';
  if (written === undefined)
    throw refusedParam(
      'paginationParameter',
      `the ${where} has no "${name}"; write it there with the number of the first page, such as ${name}=1`,
    );
  const number = typeof written === 'string' ? parseNumber(written) : written;
  if (typeof number !== 'number' || !Number.isSafeInteger(number))
    throw refusedParam('paginationParameter', `"${name}" in the ${where} is not a whole number`);
  return by === 0 ? undefined : number + by;
}

/** An answer of the server with which the pages cannot be read to their end. */
export const upstream = (message: string) => new NodeFailure({ kind: 'upstream', message, final: true });
