// cspell:ignore mnchen
import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { hostsIn, isAmong } from './host-list.ts';

test.each([
  ['', 'anywhere.test', true],
  ['shop.test', 'shop.test', true],
  ['Shop.test', 'SHOP.test', true],
  ['shop.test', 'shop.test.', true],
  ['shop.test', 'cdn.shop.test', true],
  ['*.shop.test', 'cdn.shop.test', true],
  ['*.shop.test', 'shop.test', true],
  ['cdn.shop.test', 'shop.test', false],
  ['shop.test', 'shop.test.evil.test', false],
  ['shop.test', 'workshop.test', false],
  [' a.test,\n shop.test ', 'shop.test', true],
  ['münchen.test', 'xn--mnchen-3ya.test', true],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.70', false],
  ['2001:db8::1', '2001:DB8:0::1', true],
  ['2001:db8::1', '[2001:db8::1]', true],
])('with "%s", %s is allowed: %s', (list, host, isAllowed) => {
  expect(isAmong(host, hostsIn(list, 'hosts'))).toBe(isAllowed);
});

test.each([
  'https://shop.test',
  'shop.test/path',
  'shop.test:443',
  'user@shop.test',
  '*',
  'a b*',
  '?',
  ' , ',
])('"%s" is no list of hosts, which the error says', (text) => {
  expect(() => hostsIn(text, 'hosts')).toThrow(NodeFailure);
});
