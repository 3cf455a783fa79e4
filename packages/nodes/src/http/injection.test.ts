import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check';
import { expect, test } from 'vitest';
import type { EgressRequest } from '../services.ts';
import { traceNode } from '../testing/run-node.ts';

/** Texts that end arguments, lines, strings and hosts, mixed with any others. */
const hostile = array(
  oneof(
    constantFrom(
      '"',
      "'",
      '\\',
      '\r\n',
      '\n',
      '@',
      '/',
      ':',
      '?',
      '#',
      '$input.v',
      '$(',
      '`',
      ' -X DELETE ',
      '{',
      '}',
      ',',
    ),
    string({ unit: 'binary', maxLength: 5 }),
  ),
  { maxLength: 8 },
).map((pieces) => pieces.join(''));

async function sent(curl: string, v: string): Promise<EgressRequest | undefined> {
  const { result, trace } = await traceNode('http', { curl }, { inputs: { start: { v } } });
  if ('failure' in result && result.failure.kind !== 'params') throw new Error(result.failure.message);
  return trace.requests[0];
}

test('a value within a JSON string arrives as that string', async () => {
  await assert(
    asyncProperty(hostile, async (v) => {
      const request = await sent(`curl -d '{"a": "$input.v", "b": 1}' https://a.example`, v);
      expect(JSON.parse(String(request?.body))).toEqual({ a: v, b: 1 });
    }),
    { numRuns: 300 },
  );
});

test('a value outside of quotes in JSON is one value', async () => {
  await assert(
    asyncProperty(hostile, async (v) => {
      const request = await sent(`curl -d '{"a": $input.v, "b": 1}' https://a.example`, v);
      expect(Object.keys(JSON.parse(String(request?.body)))).toEqual(['a', 'b']);
    }),
    { numRuns: 300 },
  );
});

test('a value in a header stays in its line', async () => {
  await assert(
    asyncProperty(hostile, async (v) => {
      const request = await sent('curl -H "X-A: begin $input.v" https://a.example', v);
      if (!request) return;
      expect(request.headers.map(([name]) => name)).toEqual(['X-A']);
      expect(request.headers[0]?.[1]).not.toMatch(/[\r\n\0]/);
    }),
    { numRuns: 300 },
  );
});

test('a value in the path, the query or behind the host leaves method and host as written', async () => {
  const addresses = [
    'https://a.example/p/$input.v',
    'https://a.example/?q=$input.v',
    'https://a.example$input.v',
  ];
  await assert(
    asyncProperty(hostile, constantFrom(...addresses), async (v, address) => {
      const request = await sent(`curl ${address}`, v);
      if (!request) return;
      expect(new URL(request.url).hostname).toBe('a.example');
      expect(request).toMatchObject({ method: 'GET', headers: [] });
    }),
    { numRuns: 500 },
  );
});

test('a value that is encoded cannot add a field to a form', async () => {
  await assert(
    asyncProperty(hostile, async (v) => {
      const request = await sent('curl --data-urlencode "a=$input.v" -d b=1 https://a.example', v);
      expect([...new URLSearchParams(String(request?.body)).keys()]).toEqual(['a', 'b']);
    }),
    { numRuns: 300 },
  );
});

test('any command ends with a request or a failure of its parameters', async () => {
  const words = array(
    oneof(
      hostile,
      constantFrom('curl', '-X', '-d', '-H', '-F', 'a=b', '-u', '--url', 'https://a.example', '-Gd'),
    ),
  );
  await assert(
    asyncProperty(words, async (parts) => {
      const request = await sent(parts.join(' '), 'v');
      expect(request?.url ?? 'http://').toMatch(/^https?:/);
    }),
    { numRuns: 1000 },
  );
});
