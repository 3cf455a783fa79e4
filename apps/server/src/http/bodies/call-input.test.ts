import { expect, test } from 'vitest';
import { AppError } from '../../core/app-error.ts';
import { type RawCall, sanitizedHeaders, shapeInput } from './call-input.ts';

const call = (part: Partial<RawCall>): RawCall => ({
  method: 'POST',
  headers: {},
  query: {},
  body: {},
  auth_header: undefined,
  ...part,
});

test('§4.1 rule 1: a raw body is passed as it is, a wrapped one by its `inputs`', () => {
  expect(shapeInput(call({ body: { text: 'a' } })).input.body).toEqual({ text: 'a' });
  expect(shapeInput(call({ body: { inputs: { text: 'a' }, test_run: false } })).input.body).toEqual({
    text: 'a',
  });
  expect(shapeInput(call({ body: [1, 2] })).input.body).toEqual([1, 2]);
  expect(shapeInput(call({ body: 'text' })).input.body).toBe('text');
});

test('§4.1 rule 1: a body is wrapped only when `inputs` is an object, regardless of other keys', () => {
  const payload = { inputs: { name: 'Ada' }, ref: 'main', sender: { id: 1 } };
  expect(shapeInput(call({ body: payload })).input.body).toEqual({ name: 'Ada' });
  for (const inputs of [[1], 'text', 3, null]) {
    expect(shapeInput(call({ body: { inputs } })).input.body).toEqual({ inputs });
  }
});

test('§4.1 rule 2: test_run is read from the query with raw JSON and from the wrapped body', () => {
  expect(shapeInput(call({ query: { test_run: 'true' } })).test_run).toBe(true);
  expect(shapeInput(call({ body: { inputs: {}, test_run: true } })).test_run).toBe(true);
  expect(shapeInput(call({ body: { inputs: {}, test_run: 'YES' } })).test_run).toBe(true);
  expect(shapeInput(call({ body: { test_run: true } })).test_run).toBe(false);
  expect(shapeInput(call({ query: { test_run: '0' } })).test_run).toBe(false);
});

test('§4.1 rule 3: with GET and DELETE the query is the input', () => {
  for (const method of ['GET', 'DELETE']) {
    const { input, test_run } = shapeInput(
      call({ method, query: { city: 'Oslo', tag: ['a', 'b'], test_run: '1' }, body: { ignored: true } }),
    );
    expect(input.body).toEqual({ city: 'Oslo', tag: ['a', 'b'] });
    expect(input.query).toEqual({ city: 'Oslo', tag: ['a', 'b'] });
    expect(test_run).toBe(true);
  }
});

test('§4.1 rule 3: parameters of the endpoint are not part of the query that the run sees', () => {
  const query = {
    city: 'Oslo',
    test_run: 'true',
    trigger_source: 'Canvas',
    event_ids: 'true',
    tokens: 'true',
  };
  expect(shapeInput(call({ query })).input.query).toEqual({
    city: 'Oslo',
    event_ids: 'true',
    tokens: 'true',
  });
  const streamed = shapeInput(call({ query, is_stream: true }));
  expect(streamed.input.query).toEqual({ city: 'Oslo' });
  expect([streamed.test_run, streamed.trigger_source]).toEqual([true, 'Canvas']);
});

test('§4.1 rule 4: the label comes from wrapped body, query or header, in this order', () => {
  const headers = { 'x-trigger-source': 'from header' };
  const query = { trigger_source: 'from query' };
  const body = { inputs: {}, trigger_source: 'from body' };
  expect(shapeInput(call({})).trigger_source).toBe('API');
  expect(shapeInput(call({ headers })).trigger_source).toBe('from header');
  expect(shapeInput(call({ headers, query })).trigger_source).toBe('from query');
  expect(shapeInput(call({ headers, query, body })).trigger_source).toBe('from body');
  expect(
    shapeInput(call({ headers, query, body: { trigger_source: 'raw body', x: 1 } })).trigger_source,
  ).toBe('raw body');
});

test('a label is one short line', () => {
  expect(shapeInput(call({ query: { trigger_source: '  a\0b\nc  ' } })).trigger_source).toBe('abc');
  expect(shapeInput(call({ query: { trigger_source: 'x'.repeat(300) } })).trigger_source).toHaveLength(255);
  expect(shapeInput(call({ query: { trigger_source: ['a', 'b'] } })).trigger_source).toBe('API');
});

test('headers that prove who calls are not part of the input', () => {
  const headers = { authorization: 'a', cookie: 'b', 'x-api-key': 'c', 'x-own': 'd', 'x-other': 'e' };
  expect(sanitizedHeaders(headers, 'x-own')).toEqual({ 'x-other': 'e' });
});

test('reserved keys of the query are refused', () => {
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const query = Object.fromEntries([[key, 'x']]) as Record<string, unknown>;
    expect(() => shapeInput(call({ query }))).toThrow(AppError);
  }
});
