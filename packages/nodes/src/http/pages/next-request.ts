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
}

/** The request of the page behind a page; undefined behind the last one. */
export function nextRequest(params: Following, request: CurlRequest, page: Page): CurlRequest | undefined {
  const parameter: PageParameter = { name: params.paginationParameter.trim(), place: params.paginationIn };
  if (parameter.name === '' && ['token', 'page', 'offset'].includes(params.pagination))
    throw refusedParam('paginationParameter', 'must be the name of a parameter');
  switch (params.pagination) {
    case 'off':
      return undefined;
    case 'link':
      return atAddress(request, page, nextAddress(page));
    case 'next':
      return atAddress(request, page, readNext(params.paginationNext.trim(), page.body));
    case 'token': {
      const value = readNext(params.paginationNext.trim(), page.body);
      return value === undefined ? undefined : withParameter(request, parameter, value);
    }
    case 'page':
      return countUp(request, parameter, page.entries.length === 0 ? 0 : 1);
    case 'offset':
      return countUp(request, parameter, page.entries.length);
  }
}

/** The address or value that a response names for the next page. */
function readNext(path: string, body: Json): string | number | undefined {
  if (path.trim() === '') throw refusedParam('paginationNext', 'must name a field of the response');
  const value = valueAt(body, path);
  if (value === null || value === '' || value === false) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw refusedParam(
    'paginationNext',
    `the response has ${Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : 'a truth value'} at "${path}", which is neither an address nor a value to send`,
  );
}

/** Credentials of the request are sent with it, so only to the place that they were written for. */
function atAddress(
  request: CurlRequest,
  page: Page,
  address: string | number | undefined,
): CurlRequest | undefined {
  if (address === undefined) return undefined;
  if (!URL.canParse(String(address), page.url))
    throw upstream(`the next page has no address: "${String(address).slice(0, 200)}"`);
  const first = new URL(request.url);
  const next = new URL(String(address), page.url);
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

function countUp(request: CurlRequest, parameter: PageParameter, by: number): CurlRequest | undefined {
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
  return by === 0 ? undefined : withParameter(request, parameter, number + by);
}

const upstream = (message: string) => new NodeFailure({ kind: 'upstream', message, final: true });
