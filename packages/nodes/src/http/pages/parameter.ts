import { isDeepStrictEqual } from 'node:util';
import { isBlockedKey, isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../../kit/refused-param.ts';
import { parsedJson } from '../../kit/text/parsed-json.ts';
import { wellFormed } from '../../kit/text/well-formed.ts';
import { findValue } from '../../kit/values/list/items.ts';
import { isJsonType } from '../curl/body/content-type.ts';
import type { CurlRequest } from '../curl/request.ts';

/** Where the parameter is that tells the pages of an answer apart. */
export interface PageParameter {
  readonly name: string;
  readonly place: 'query' | 'body';
}

/** The value that a request has for a parameter; undefined when it has none. */
export function readParameter(request: CurlRequest, { name, place }: PageParameter): Json | undefined {
  if (place === 'query') return new URL(request.url).searchParams.get(name) ?? undefined;
  const body = readFields(request);
  if (body instanceof URLSearchParams) return body.get(name) ?? undefined;
  return findValue(body, name).value;
}

/** The request with another value of a parameter. A body of JSON gets it as it is, everything else as text. */
export function withParameter(
  request: CurlRequest,
  { name, place }: PageParameter,
  value: string | number,
): CurlRequest {
  if (place === 'query') return { ...request, url: withQuery(request.url, name, value) };
  const body = readFields(request);
  if (!(body instanceof URLSearchParams))
    return { ...request, body: JSON.stringify(withField(body, readPath(body, name), value)) };
  body.set(name, String(value));
  return { ...request, body: body.toString() };
}

/** Other parameters stay as they are written, since some servers tell ways of encoding apart. */
function withQuery(address: string, name: string, value: string | number): string {
  const url = new URL(address);
  const others = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !new URLSearchParams(pair).has(name));
  url.search = [
    ...others,
    `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(String(value)))}`,
  ].join('&');
  return url.href;
}

/** A name with a dot may be the name of one field. */
const readPath = (body: JsonObject, name: string): readonly string[] =>
  Object.hasOwn(body, name) ? [name] : name.split('.');

function withField(object: JsonObject, [name = '', ...inner]: readonly string[], value: Json): JsonObject {
  if (isBlockedKey(name)) throw refusedParam('paginationParameter', `cannot be "${name}"`);
  if (inner.length === 0) return { ...object, [name]: value };
  const there = Object.hasOwn(object, name) ? object[name] : undefined;
  return { ...object, [name]: withField(isJsonObject(there) ? there : {}, inner, value) };
}

/** The body of a request as the fields that it has: an object of JSON, or a form. */
function readFields({ body, headers }: CurlRequest): JsonObject | URLSearchParams {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (typeof body !== 'string')
    throw refusedParam('paginationIn', 'the request has no body that is JSON or a form');
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(type ?? '') && !/^\s*\{/.test(body))
    return new URLSearchParams(body);
  // It is written anew, so nothing of it may change.
  const value = parsedJson(body, { keeps_all_keys: true });
  if (isJsonObject(value) && !isDeepStrictEqual(value, JSON.parse(body)))
    throw refusedParam(
      'paginationIn',
      'the body has a number with more digits than can be kept; write it as a text',
    );
  if (isJsonObject(value)) return value;
  throw refusedParam(
    'paginationIn',
    isJsonType(type) ? 'the body is JSON, but no object' : 'the body is neither an object of JSON nor a form',
  );
}
