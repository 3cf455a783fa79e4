import { expect, test } from 'vitest';
import {
  isSafeRedirect,
  matchesRedirect,
  redirectHost,
  redirectSource,
  withAnswer,
} from './redirect-uris.ts';

test.each([
  ['https://client.example/cb', true],
  ['http://localhost/cb', true],
  ['http://127.0.0.1:33418/', true],
  ['http://[::1]:9/cb', true],
  ['cursor://anysphere.cursor/callback', true],
  ['com.example.app:/cb', true],
  ['http://127.0.0.1.evil.example/', false],
  ['http://10.0.0.1/cb', false],
  ['blob:https://x/1', false],
  ['vbscript:x', false],
  ['https://client.example\\@evil.example/', false],
  ['https://client.example/\tcb', false],
  ['', false],
])('%s may be registered: %s', (uri, expected) => {
  expect(isSafeRedirect(uri)).toBe(expected);
});

test('addresses match exactly, but for the port on the own machine', () => {
  expect(matchesRedirect('https://a.example/cb', ['https://a.example/cb'])).toBe(true);
  expect(matchesRedirect('https://a.example:444/cb', ['https://a.example/cb'])).toBe(false);
  expect(matchesRedirect('https://a.example/cb/', ['https://a.example/cb'])).toBe(false);
  expect(matchesRedirect('http://localhost:5/cb', ['http://localhost:4/cb'])).toBe(true);
  expect(matchesRedirect('http://localhost:5/cb#x', ['http://localhost:4/cb'])).toBe(false);
  expect(matchesRedirect('http://localhost:5/other', ['http://localhost:4/cb'])).toBe(false);
});

test('people and policies are shown where it leads', () => {
  expect(redirectHost('https://a.example:444/cb?x=1')).toBe('a.example:444');
  expect(redirectHost('com.example.app:/cb')).toBe('com.example.app:');
  expect(redirectSource('https://a.example/cb')).toBe('https://a.example');
  expect(redirectSource('cursor://x/cb')).toBe('cursor:');
  expect(redirectSource('http://[::1]:9/cb')).toBe('http:');
});

test('the answer joins the query that is there', () => {
  expect(withAnswer('https://a.example/cb?x=1', { code: 'a b', state: undefined })).toBe(
    'https://a.example/cb?x=1&code=a+b',
  );
  expect(withAnswer('cursor://x/cb', { code: 'c' })).toBe('cursor://x/cb?code=c');
});
