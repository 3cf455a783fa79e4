import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { catchFailure, egress, get, serve, text } from './testing/servers.ts';

const PIECE = Buffer.alloc(64 * 1024, 7);

/** A body in pieces, with the number of times that it was opened and of pieces that were read. */
function bodyStream(pieces: number, size_bytes = pieces * PIECE.length) {
  const seen = { opened: 0, read: 0, ended: 0 };
  async function* open() {
    seen.opened++;
    try {
      for (let at = 0; at < pieces; at++) {
        seen.read++;
        yield await Promise.resolve(PIECE);
      }
    } finally {
      seen.ended++;
    }
  }
  return { seen, body: { size_bytes, open } };
}

/** A server that counts what it gets, and redirects `/moved`. */
const counting = () =>
  serve((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => (size += chunk.length));
    request.on('end', () => {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      if (request.url === '/moved') response.writeHead(307, { location: '/there' }).end();
      else response.end(`${size} ${length} ${encoding}`);
    });
  });

test('a body in pieces goes out with its length, and anew after a redirect', async () => {
  const { url } = await counting();
  const { seen, body } = bodyStream(20);
  const sent = { method: 'POST', body, follow_redirects: true };
  const expected = `${20 * PIECE.length} ${20 * PIECE.length} undefined`;
  expect(await text((await egress().request(get(url, sent))).body)).toBe(expected);
  expect(seen).toEqual({ opened: 1, read: 20, ended: 1 });
  expect(await text((await egress().request(get(`${url}/moved`, sent))).body)).toBe(expected);
  expect(seen).toEqual({ opened: 3, read: 60, ended: 3 });
});

test('an empty body has the length 0', async () => {
  const { url } = await counting();
  const { body } = bodyStream(0);
  expect(await text((await egress().request(get(url, { method: 'PUT', body }))).body)).toBe('0 0 undefined');
});

test('a body is not read ahead of a server that does not take it, and ends when the server refuses', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(413, { connection: 'close' }).end('too large');
  });
  const { seen, body } = bodyStream(10_000);
  const ask = get(url, { method: 'POST', body });
  // The server may close the connection before its answer is read.
  await egress()
    .request(ask)
    .then(
      async (response) => expect([response.status, await text(response.body)]).toEqual([413, 'too large']),
      (error: unknown) => expect(error).toBeInstanceOf(NodeFailure),
    );
  await expect.poll(() => seen.ended).toBe(1);
  expect(seen.read).toBeLessThan(1000);
});

test('a body that fails gives its own failure, and one of another length is not sent as if it were whole', async () => {
  const { url } = await counting();
  const own = new NodeFailure({ kind: 'params', message: 'File not found' });
  const failing = {
    size_bytes: 10,
    async *open() {
      yield await Promise.resolve(Buffer.from('abc'));
      throw own;
    },
  };
  const failure = await catchFailure(egress(), get(url, { method: 'POST', body: failing }));
  expect(failure).toMatchObject({ kind: 'params', message: 'File not found' });
  const { body } = bodyStream(1, 5);
  expect(await catchFailure(egress(), get(url, { method: 'POST', body }))).toMatchObject({
    kind: 'upstream',
  });
});

test('a cancelled run ends the body', async () => {
  const { url } = await serve(() => undefined);
  const { seen, body } = bodyStream(10_000);
  const controller = new AbortController();
  const failure = catchFailure(egress(), get(url, { method: 'POST', body, signal: controller.signal }));
  await expect.poll(() => seen.read).toBeGreaterThan(1);
  controller.abort();
  expect(await failure).toMatchObject({ kind: 'cancelled' });
  await expect.poll(() => seen.ended).toBe(1);
});
