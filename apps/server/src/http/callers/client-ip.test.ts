import { describe, expect, test } from 'vitest';
import { parseProxyTrust } from '../../config.ts';
import { createClientAddress } from './client-ip.ts';

const PEER = '10.0.0.1';

function addressWith(trust: string, peer: string, forwarded?: string | string[], more = {}): string {
  const parsed = parseProxyTrust(trust);
  if (!parsed) throw new Error(`"${trust}" means nothing`);
  // Node joins repeated lines of this header itself; a list stands for servers that do not.
  return createClientAddress(parsed)({ 'x-forwarded-for': forwarded, ...more }, peer);
}

describe('TRUST_PROXY_HEADERS', () => {
  test.each([
    ['', 'none'],
    ['false', 'none'],
    ['0', 'none'],
    ['true', 'hops'],
    ['TRUE', 'hops'],
    ['2', 'hops'],
    ['10.0.0.0/8, 2001:db8::/32', 'networks'],
    ['192.0.2.7', 'networks'],
  ])('%j means %s', (text, kind) => {
    expect(parseProxyTrust(text)?.kind).toBe(kind);
  });

  test.each(['maybe', '-1', '1.5', '99', '10.0.0.0/40', '10.0.0.0/8,', 'proxy.example'])(
    '%j means nothing and is refused',
    (text) => {
      expect(parseProxyTrust(text)).toBeUndefined();
    },
  );
});

describe('the client address', () => {
  test.each<[string, string, string, string | undefined, string]>([
    ['no proxy: headers do not count', 'false', PEER, '203.0.113.9', PEER],
    ['one proxy', 'true', PEER, '203.0.113.9', '203.0.113.9'],
    ['one proxy, address invented by the client', 'true', PEER, '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['one proxy, no header', 'true', PEER, undefined, PEER],
    ['two proxies', '2', PEER, '1.1.1.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['two proxies, only one reported', '2', PEER, '203.0.113.9', '203.0.113.9'],
    ['networks', '10.0.0.0/8', PEER, '1.1.1.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['networks, request past the proxy', '10.0.0.0/8', '198.51.100.4', '203.0.113.9', '198.51.100.4'],
    ['networks, all trusted', '10.0.0.0/8', PEER, '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['networks of both families', '10.0.0.0/8,2001:db8:1::/48', PEER, '1.1.1.1, 2001:db8:1::5', '1.1.1.1'],
    ['a port', 'true', PEER, '203.0.113.9:51234', '203.0.113.9'],
    ['IPv6 counts by /64', 'true', PEER, '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['IPv6 with a port', 'true', PEER, '[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['IPv6 in quotes', 'true', PEER, '"[2001:db8:1:2::1]"', '2001:db8:1:2::/64'],
    ['IPv4 inside IPv6', 'true', PEER, '::ffff:203.0.113.9', '203.0.113.9'],
    ['a peer with IPv4 inside IPv6', 'false', '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['a peer with a zone', 'false', 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['garbage', 'true', PEER, 'unknown', PEER],
    ['garbage behind an invented address', 'true', PEER, '1.1.1.1, unknown', PEER],
    ['a short form of an address', 'true', PEER, '127.1', PEER],
    ['an empty header', 'true', PEER, '', PEER],
    ['commas alone', 'true', PEER, ',,,', PEER],
    ['a header of megabytes', 'true', PEER, `${'1.1.1.1,'.repeat(10_000)}203.0.113.9`, '203.0.113.9'],
  ])('%s', (...[, trust, peer, forwarded, expected]) => {
    expect(addressWith(trust, peer, forwarded)).toBe(expected);
  });

  test('repeated header lines are one list', () => {
    expect(addressWith('true', PEER, ['1.1.1.1', '203.0.113.9'])).toBe('203.0.113.9');
  });

  test('headers that a client can set past a proxy do not count', () => {
    const more = { 'cf-connecting-ip': '1.1.1.1', 'x-real-ip': '2.2.2.2', forwarded: 'for=3.3.3.3' };
    expect(addressWith('true', PEER, '203.0.113.9', more)).toBe('203.0.113.9');
    expect(addressWith('true', PEER, undefined, more)).toBe(PEER);
  });

  test('a connection that is gone has no address', () => {
    expect(createClientAddress({ kind: 'none' })({}, undefined)).toBe('0.0.0.0');
  });
});
