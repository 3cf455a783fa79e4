import { expect, test } from 'vitest';
import { catalog } from '../../catalog.ts';
import { curlEffect } from './effect.ts';

test.each([
  ['curl https://a', 'read'],
  ['curl -I https://a', 'read'],
  ['curl -X HEAD https://a', 'read'],
  ['curl -X options https://a', 'read'],
  ['curl -G -d a=b https://a', 'read'],
  ['curl -X GET -d "{}" https://a', 'read'],
  ['curl -X PUT https://a', 'idempotent'],
  ['curl -XDELETE https://a', 'idempotent'],
  ['curl -d a=b https://a', 'unsafe'],
  ['curl --json "{}" https://a', 'unsafe'],
  ['curl -F a=b https://a', 'unsafe'],
  ['curl -X POST https://a', 'unsafe'],
  ['curl -X PATCH https://a', 'unsafe'],
  ['curl -X $input.method https://a', 'unsafe'],
  ['curl -X PURGE https://a', 'unsafe'],
  ['curl -X POST -H "Idempotency-Key: $input.id" https://a', 'idempotent'],
  ["curl -X POST -H 'idempotency-key:$executionId' https://a", 'idempotent'],
  ['curl -X POST -H "Idempotency-Key: $UUID" https://a', 'unsafe'],
  ['curl -X POST -H "Idempotency-Key: $now.toISO()" https://a', 'unsafe'],
  ['curl -X POST -H "Idempotency-Key: $randomInt(1, 9)" https://a', 'unsafe'],
  ['curl -X POST -H "X-Idempotency-Key: 1" https://a', 'unsafe'],
  ["curl 'open", 'read'],
  ['$userInput.body.curl', 'unsafe'],
  ['', 'read'],
])('%s is %s', (text, effect) => expect(curlEffect(text)).toBe(effect));

test('an author can ask for a repetition', () => {
  const effect = catalog.get('http')?.effect;
  const of = (data: object) => (typeof effect === 'function' ? effect(data as never) : effect);
  expect(of({ curl: 'curl -X POST https://a' })).toBe('unsafe');
  expect(of({ curl: 'curl -X POST https://a', onUnknownOutcome: 'repeat' })).toBe('idempotent');
  expect(of({ curl: 'curl https://a', onUnknownOutcome: 'repeat' })).toBe('read');
  expect(of({})).toBe('read');
  expect(of({ curl: 5 })).toBe('read');
});
