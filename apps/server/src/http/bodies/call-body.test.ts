import { expect, test } from 'vitest';
import { AppError } from '../../core/app-error.ts';
import { BODY_LIMITS } from '../../core/documents/json-limits.ts';
import { parseBody } from './call-body.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

function parse(text: string | Uint8Array, type?: string) {
  return parseBody(typeof text === 'string' ? Buffer.from(text) : text, type);
}

function catchProblem(run: () => unknown): { status: number; type: string | undefined } {
  try {
    run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [problem] = Array.isArray(error.detail) ? error.detail : [];
    return { status: error.status, type: problem?.type };
  }
  throw new Error('the body was accepted');
}

test('nothing, or only spaces, is an empty object', () => {
  expect(parseBody(undefined, undefined)).toEqual({});
  expect(parse('', JSON_TYPE)).toEqual({});
  expect(parse('  \n', 'application/json; charset=utf-8')).toEqual({});
});

test('JSON is read by its type, with a byte order mark and with any suffix type', () => {
  expect(parse('{"a":[1,null,"x"]}', JSON_TYPE)).toEqual({ a: [1, null, 'x'] });
  expect(parse('\uFEFF{"a":1}', JSON_TYPE)).toEqual({ a: 1 });
  expect(parse('[1,2]', 'application/cloudevents+json; charset=utf-8')).toEqual([1, 2]);
  expect(parse('"text"', JSON_TYPE)).toBe('text');
});

test('whole numbers that a number cannot hold become texts with their digits, with and without a type', () => {
  const text = '{"id":9007199254740993,"list":[-12345678901234567891,9007199254740991]}';
  const body = { id: '9007199254740993', list: ['-12345678901234567891', 9007199254740991] };
  for (const type of [JSON_TYPE, undefined, FORM_TYPE]) expect(parse(text, type)).toEqual(body);
  expect(parse('9007199254740993', JSON_TYPE)).toBe('9007199254740993');
});

test('broken JSON under a JSON type is a clear 422', () => {
  for (const text of ['{', '{"a":}', '{a:1}', '[1,]', 'nope', '{"a":1}}'])
    expect(catchProblem(() => parse(text, JSON_TYPE))).toEqual({ status: 422, type: 'json_invalid' });
});

test('a form is an object, and repeated fields are a list', () => {
  expect(parse('a=1&b=x+y&a=2&c=%7B%7D', FORM_TYPE)).toEqual({ a: ['1', '2'], b: 'x y', c: '{}' });
});

test('§4.1: a form whose escapes are not valid UTF-8 is refused like any other body, and other escapes are read', () => {
  for (const text of ['a=%ff', 'a=%C3x', '%e9=1', 'ok=1&a=%ED%A0%80'])
    expect(
      catchProblem(() => parse(text, FORM_TYPE)),
      text,
    ).toEqual({ status: 422, type: 'encoding_invalid' });
  expect(parse('a=%C3%A9é&b=100%&c=%zz&d=%EF%BF%BD', FORM_TYPE)).toEqual({
    a: 'éé',
    b: '100%',
    c: '%zz',
    d: '\uFFFD',
  });
});

test('JSON that curl sends as a form is read as JSON', () => {
  expect(parse('{"a":1}', FORM_TYPE)).toEqual({ a: 1 });
});

test('other types are text, and text without a type is JSON when it is JSON', () => {
  expect(parse('<a/>', 'application/xml')).toBe('<a/>');
  expect(parse('{"a":1}', 'text/plain')).toBe('{"a":1}');
  expect(parse('{"a":1}')).toEqual({ a: 1 });
  expect(parse('hello')).toBe('hello');
});

test('multipart bodies are refused with the types that are accepted', () => {
  expect(catchProblem(() => parse('--x--', 'multipart/form-data; boundary=x')).status).toBe(415);
});

test('bytes that are no text are refused', () => {
  expect(catchProblem(() => parse(new Uint8Array([0x22, 0xff, 0xfe, 0x22]), JSON_TYPE)).type).toBe(
    'encoding_invalid',
  );
});

test('keys that reach a prototype are refused wherever they stand, also when they are escaped', () => {
  for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
    for (const text of [`{"${key}":{}}`, `{"a":[{"b":{"${key}":1}}]}`, `{"inputs":{"${key}":1}}`])
      expect(catchProblem(() => parse(text, JSON_TYPE))).toEqual({ status: 422, type: 'reserved_key' });
  }
  expect(catchProblem(() => parse('__proto__=1', FORM_TYPE)).type).toBe('reserved_key');
});

test('NUL and lone surrogates in strings are data', () => {
  expect(parse('{"a":"\\u0000","b":"\\ud800"}', JSON_TYPE)).toEqual({ a: '\0', b: '\ud800' });
});

test('nesting is accepted to the limit and refused behind it, however long the body is', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(parse(nested(BODY_LIMITS.depth), JSON_TYPE)).toBeInstanceOf(Array);
  expect(catchProblem(() => parse(nested(BODY_LIMITS.depth + 1), JSON_TYPE)).type).toBe('too_deep');
  expect(catchProblem(() => parse(nested(5_000_000), JSON_TYPE)).type).toBe('too_deep');
});

test('brackets inside of strings are not nesting', () => {
  const text = JSON.stringify({ a: '[{"\\'.repeat(40_000) });
  expect(parse(text, JSON_TYPE)).toEqual(JSON.parse(text));
});

test('counts are bounded', () => {
  const wide = `{${Array.from({ length: BODY_LIMITS.keys + 1 }, (_, at) => `"k${at}":1`).join()}}`;
  expect(catchProblem(() => parse(wide, JSON_TYPE)).type).toBe('too_many_keys');
  const long = `[${'0,'.repeat(BODY_LIMITS.values)}0]`;
  expect(catchProblem(() => parse(long, JSON_TYPE)).type).toBe('too_many_values');
});

test('the escapes of a large form are checked in about the time in which it is read', () => {
  const form = Buffer.from(`a=${'%C3%A9'.repeat(200_000)}`);
  const started = performance.now();
  expect(new URLSearchParams(form.toString()).get('a')).toHaveLength(200_000);
  const reading_ms = performance.now() - started;
  const begun = performance.now();
  parseBody(form, 'application/x-www-form-urlencoded');
  expect(performance.now() - begun).toBeLessThan(6 * reading_ms + 100);
});
