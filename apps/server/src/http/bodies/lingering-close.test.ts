import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { MEGABYTE } from '@millrace/engine/units';
import Fastify from 'fastify';
import { FormData, fetch, Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkflow, ECHO, executeUrl } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.ts';
import { installLingeringClose } from './lingering-close.ts';

/** More than the buffers of both ends of a connection. */
const SIZE = 10 * MEGABYTE;

const curl = promisify(execFile);
const hasCurl = await curl('curl', ['--version']).then(
  () => true,
  () => false,
);

let app: TestApp;
let base: string;
let id: string;
let token: string;
beforeAll(async () => {
  app = await createTestApp({ env: { REQUEST_BODY_MAX_SIZE_MB: '1', FILE_MAX_SIZE_MB: '1' } });
  const owner = await app.user();
  token = owner.access_token;
  id = await createWorkflow(owner, ECHO);
  await app.listen();
  base = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

const targets = () => [`${base}${executeUrl(id)}`, `${base}/api/workflows/import`];
const headers = () => ({ 'content-type': 'application/json', authorization: `Bearer ${token}` });

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < SIZE; sent += MEGABYTE) {
    yield Buffer.alloc(MEGABYTE);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}

/** Sends everything and only then looks for an answer, as plain clients do. */
function sendFirst(url: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', headers: { ...headers(), 'content-length': SIZE } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    for (let at = 0; at < SIZE; at += MEGABYTE) sent.write(Buffer.alloc(MEGABYTE));
    sent.end();
  });
}

describe('a body over the limit is answered with 413 and nothing else', () => {
  // The connection was reset now and then, so once is no proof.
  const ROUNDS = 15;

  test('when its length is announced', async () => {
    const body = Buffer.alloc(SIZE);
    for (let round = 0; round < ROUNDS; round++) {
      for (const url of targets()) {
        const answer = await fetch(url, { method: 'POST', headers: headers(), body });
        expect(answer.status).toBe(413);
        expect(await answer.json()).toMatchObject({ code: 'too_large' });
      }
    }
  });

  test('when it comes in chunks', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const url of targets()) {
        const answer = await fetch(url, {
          method: 'POST',
          headers: headers(),
          body: chunks(),
          duplex: 'half',
        });
        expect(answer.status).toBe(413);
        expect(await answer.json()).toMatchObject({ code: 'too_large' });
      }
    }
  });

  test('to a client that sends everything before it reads', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const url of targets()) {
        const { status, body } = await sendFirst(url);
        expect(status).toBe(413);
        expect(JSON.parse(body)).toMatchObject({ code: 'too_large' });
      }
    }
  });

  test.skipIf(!hasCurl)('to curl, with and without a length', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-curl-'));
    const file = join(folder, 'body');
    writeFileSync(file, Buffer.alloc(SIZE));
    try {
      for (const more of [[], ['-H', 'Transfer-Encoding: chunked'], ['-H', 'Expect:']]) {
        const { stdout } = await curl('curl', [
          '-sS',
          '-X',
          'POST',
          '-w',
          '\n%{http_code}',
          '-H',
          'Content-Type: application/json',
          ...more,
          '--data-binary',
          `@${file}`,
          `${base}${executeUrl(id)}`,
        ]);
        expect(stdout.trim().split('\n').at(-1)).toBe('413');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test.each([
  ['with a length', { 'content-length': String(SIZE) }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('a client that asks before it sends (Expect: 100-continue) is answered, %s', async (_, framing) => {
  for (const url of targets()) {
    const sent = httpRequest(url, {
      method: 'POST',
      headers: { ...headers(), ...framing, expect: '100-continue' },
    });
    let asked = false;
    sent.on('continue', () => {
      asked = true;
      for (let at = 0; at < SIZE; at += MEGABYTE) sent.write(Buffer.alloc(MEGABYTE));
      sent.end();
    });
    sent.flushHeaders();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await text(response))).toMatchObject({ code: 'too_large' });
    expect(asked).toBe(true);
    sent.destroy();
  }
});

describe('an upload that is refused on its way is answered', () => {
  const file = new Blob([Buffer.alloc(SIZE)]);
  const form = () => {
    const parts = new FormData();
    parts.append('file', file, 'large.bin');
    return parts;
  };

  /** The limit of archives is 64 MB. */
  const archive = () => new Blob([Buffer.alloc(72 * MEGABYTE)]);

  test.each([
    ['as a form, for being too large', '/api/files/upload', form, 413],
    ['as bytes, for being too large', '/api/folders/import', archive, 413],
  ])('%s', async (_, path, body, status) => {
    for (let round = 0; round < 5; round++) {
      const authorization = `Bearer ${token}`;
      const type = path.endsWith('import') ? { 'content-type': 'application/zip' } : {};
      const sent = { method: 'POST', headers: { authorization, ...type }, body: body() };
      const answer = await fetch(`${base}${path}`, sent);
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ code: 'too_large' });
    }
  });

  test('for want of a session', async () => {
    for (let round = 0; round < 5; round++) {
      const answer = await fetch(`${base}/api/files/upload`, { method: 'POST', body: form() });
      expect(answer.status).toBe(401);
    }
  });
});

test('other calls on a pool of connections are not disturbed', async () => {
  const pool = new Pool(base, { connections: 2 });
  const body = Buffer.alloc(2 * MEGABYTE);
  const call = (payload: Uint8Array | string) =>
    pool.request({ method: 'POST', path: executeUrl(id), headers: headers(), body: payload });
  for (let round = 0; round < 10; round++) {
    const [large, small] = await Promise.all([call(body), call('{"text":"hi"}')]);
    expect([large.statusCode, small.statusCode]).toEqual([413, 200]);
    await Promise.all([large.body.dump(), small.body.dump()]);
  }
  await pool.close();
});

test('a client that never stops sending is let go', async () => {
  const server = Fastify({ bodyLimit: 1_000 });
  installLingeringClose(server, { linger_ms: 60_000, linger_bytes: 4 * MEGABYTE });
  server.post('/', () => 'ok');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${10 ** 12}\r\n\r\n`,
  );
  const block = Buffer.alloc(256 * 1024);
  const more = () => {
    while (!socket.destroyed && socket.write(block)) continue;
  };
  socket.on('drain', more);
  more();
  await closed;
  await server.close();
});

test('a client that sends nothing more is let go after a while', async () => {
  const server = Fastify({ bodyLimit: 1_000 });
  installLingeringClose(server, { linger_ms: 100 });
  server.post('/', () => 'ok');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\nabc');
  const ended = new Promise((resolve) => {
    socket.on('end', resolve);
  });
  await ended;
  expect(text).toMatch(/^HTTP\/1.1 413 /);
  await server.close();
  socket.destroy();
});
