import type { Socket } from 'node:net';
import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { restrictedTo } from './allowed-hosts.ts';

test('only connections to allowed hosts are asked for, and the others say why', async () => {
  const asked: string[] = [];
  const connect = ({ host }: { host: string }) => {
    asked.push(host);
    return Promise.resolve({} as Socket);
  };
  const http = restrictedTo(['shop.test'], { connect });
  const request = { port: 443, tls: false, timeout_ms: 1, signal: new AbortController().signal };
  await http.connect({ ...request, host: 'cdn.shop.test' });
  const refused = http.connect({ ...request, host: 'evil.test' });
  await expect(refused).rejects.toThrow(NodeFailure);
  await expect(refused).rejects.toThrow('evil.test is not among the allowed hosts of the node');
  expect(asked).toEqual(['cdn.shop.test']);
});
