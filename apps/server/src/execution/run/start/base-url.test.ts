import { expect, test } from 'vitest';
import { resolveBaseUrl } from './base-url.ts';

const direct = { public_url: undefined, behind_proxy: false };
const reachedAt = (host: string) => ({ options: {}, input: { headers: { host }, query: {}, body: {} } });

test.each([
  ['flows.example.com', 'http://flows.example.com'],
  ['localhost:8080', 'http://localhost:8080'],
  ['192.0.2.7', 'http://192.0.2.7'],
  ['[2001:db8::1]:8080', 'http://[2001:db8::1]:8080'],
  ['user@evil.example', undefined],
  ['a.example/path', undefined],
  ['a b', undefined],
  ['a.example"onload="x', undefined],
  ['a.example:99999999', undefined],
  ['', undefined],
])('the host %j makes the address %j', (host, address) => {
  expect(resolveBaseUrl(direct, reachedAt(host))).toBe(address);
});

test('the configured address comes first, then the one of the run above', () => {
  const above = { options: { base_url: 'http://above.example' }, input: reachedAt('own.example').input };
  expect(resolveBaseUrl({ ...direct, public_url: 'https://set.example' }, above)).toBe('https://set.example');
  expect(resolveBaseUrl(direct, above)).toBe('http://above.example');
});

test.each([{}, 'text', null, { headers: 'x' }])('a start without a request (%j) has none', (input) => {
  expect(resolveBaseUrl(direct, { options: {}, input })).toBeUndefined();
});
