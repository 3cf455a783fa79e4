import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { MEGABYTE } from '@millrace/engine/units';
import { expect, test, vi } from 'vitest';
import { catchFailure, egress, get, serve, text } from './testing/servers.ts';

test.each([
  ['gzip', gzipSync('plain text')],
  ['br', brotliCompressSync('plain text')],
  ['deflate', deflateSync('plain text')],
  ['deflate', deflateRawSync('plain text')],
  ['GZIP', gzipSync('plain text')],
])('an answer in %s is decompressed', async (encoding, bytes) => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
  );
  const response = await egress().request(get(url));
  expect(await text(response.body)).toBe('plain text');
});

test('a coding that was not asked for is left as it is', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'zstd' }).end('as sent'),
  );
  const response = await egress().request(get(url));
  expect(await text(response.body)).toBe('as sent');
});

test('a gzip bomb ends at the cap without being unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * MEGABYTE));
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const before = process.memoryUsage().rss;
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    kind: 'upstream',
    message: expect.stringMatching(/the answer is larger than 1 MB$/),
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MEGABYTE);
});

test('a huge answer of unknown length ends at the cap and closes the connection', async () => {
  let closed: () => void = () => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await serve((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const timer = setInterval(() => response.write(chunk), 1);
    response.on('close', () => {
      clearInterval(timer);
      closed();
    });
  });
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    message: expect.stringContaining('larger than 1 MB'),
  });
  await isClosed;
});

test('an answer that announces more than the cap is refused before it is read', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': String(10 * MEGABYTE) });
    response.write('x');
  });
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    message: expect.stringContaining('larger than 1 MB'),
  });
});

test('an answer of exactly the cap is accepted', async () => {
  const { url } = await serve((_request, response) => response.end(Buffer.alloc(MEGABYTE, 'x')));
  const response = await egress().request(get(url));
  expect((await text(response.body)).length).toBe(MEGABYTE);
});

test.each([
  ['broken', Buffer.from('this is no gzip')],
  ['truncated', gzipSync('some text that is long enough').subarray(0, 20)],
])('a %s archive says so', async (_title, bytes) => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
  );
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining('could not be decompressed'),
  });
});

test('an answer that is ended before its first byte is read holds no timer and no connection', async () => {
  let closed: () => void = () => undefined;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await serve((_request, response) => {
    response.writeHead(200).write('begun');
    response.on('close', closed);
  });
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  const { body } = await egress().request({ ...get(url), timeout_ms: 86_400_000 });
  const before = clear.mock.calls.length;
  await body[Symbol.asyncIterator]().return?.();
  expect(clear.mock.calls.length).toBeGreaterThan(before);
  await isClosed;
});
