import type { Socket } from 'node:net';
import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { hostsIn, restrictedTo } from './allowed-hosts.ts';

const socket = {} as Socket;

/** Whether a connection to the host is opened. */
async function reaches(allowed: string, host: string): Promise<boolean> {
  const asked: string[] = [];
  const connect = (request: { host: string }) => {
    asked.push(request.host);
    return Promise.resolve(socket);
  };
  const request = { host, port: 443, tls: false, timeout_ms: 1, signal: new AbortController().signal };
  const opened = await restrictedTo(hostsIn(allowed), { connect })
    .connect(request)
    .catch((error: unknown) => {
      expect(error).toBeInstanceOf(NodeFailure);
      expect(String(error)).toContain(`${host.toLowerCase()} is not among the allowed hosts`);
    });
  expect(asked).toEqual(opened ? [host] : []);
  return opened !== undefined;
}

test.each([
  ['', 'anywhere.test', true],
  ['shop.test', 'shop.test', true],
  ['shop.test', 'SHOP.test', true],
  ['shop.test', 'cdn.shop.test', false],
  ['shop.test', 'shop.test.evil.test', false],
  ['shop.test', 'workshop.test', false],
  ['*.shop.test', 'cdn.shop.test', true],
  ['*.shop.test', 'a.b.shop.test', true],
  ['*.shop.test', 'shop.test', false],
  ['*.shop.test', 'workshop.test', false],
  [' a.test,\n shop.test ', 'shop.test', true],
  ['192.0.2.7', '192.0.2.7', true],
  ['2001:db8::1', '2001:db8::1', true],
])('with "%s", %s is reached: %s', async (allowed, host, isReached) => {
  expect(await reaches(allowed, host)).toBe(isReached);
});

test.each(['https://shop.test', 'shop.test/path', 'shop.test:443', '*', 'a b*', '-'])(
  '"%s" is no host, which the error says',
  (text) => {
    expect(() => hostsIn(text)).toThrow(NodeFailure);
  },
);
