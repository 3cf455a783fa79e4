import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { expiredCertificate, validCertificate } from './testing/certificates.ts';
import { catchFailure, egress, get, serveBytes, serveTls, text } from './testing/servers.ts';

const local: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
const resolve = () => Promise.resolve(local);

test('a certificate of a trusted authority for the host is accepted', async () => {
  const { port } = await serveTls(validCertificate, (_request, response) => response.end('secure'));
  const response = await egress({ resolve, ca: validCertificate }).request(
    get(`https://tls.example:${port}/`),
  );
  expect(await text(response.body)).toBe('secure');
});

test.each([
  {
    title: 'expired',
    served: expiredCertificate,
    trusted: expiredCertificate,
    host: 'tls.example',
    message: 'the certificate has expired',
  },
  {
    title: 'for another host',
    served: validCertificate,
    trusted: validCertificate,
    host: 'other.example',
    message: 'the certificate is for another host',
  },
  {
    title: 'not trusted',
    served: validCertificate,
    trusted: undefined,
    host: 'tls.example',
    message: 'the certificate is self-signed',
  },
])('a certificate that is $title is refused and says so', async ({ served, trusted, host, message }) => {
  let calls = 0;
  const { port } = await serveTls(served, (_request, response) => {
    calls++;
    response.end('secure');
  });
  const client = egress({ resolve, ...(trusted === undefined ? {} : { ca: trusted }) });
  expect(await catchFailure(client, get(`https://${host}:${port}/`))).toMatchObject({
    kind: 'upstream',
    message: `${host}:${port}: ${message}`,
  });
  expect(calls).toBe(0);
});

test('any certificate is accepted by a request that asks for it, and by no other one', async () => {
  const { port } = await serveTls(expiredCertificate, (_request, response) => response.end('secure'));
  const client = egress({ resolve });
  const asked = get(`https://tls.example:${port}/`);
  const response = await client.request({ ...asked, insecure: true });
  expect(await text(response.body)).toBe('secure');
  expect(await catchFailure(client, asked)).toMatchObject({ kind: 'upstream' });
});

test('a server that does not speak TLS says so', async () => {
  const { port } = await serveBytes((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await catchFailure(egress({ resolve }), get(`https://tls.example:${port}/`))).toMatchObject({
    message: expect.stringContaining('the TLS handshake failed'),
  });
});
