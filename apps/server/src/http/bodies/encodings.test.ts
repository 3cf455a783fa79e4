import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { MEGABYTE } from '@millrace/engine/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkflow, ECHO, executeUrl, graph } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.ts';

let app: TestApp;
let url: string;
let address: string;
beforeAll(async () => {
  app = await createTestApp({ env: { REQUEST_BODY_MAX_SIZE_MB: '4', REQUEST_BODIES_MAX_SIZE_MB: '5' } });
  url = executeUrl(await createWorkflow(await app.user(), ECHO));
  address = await app.listen();
});
afterAll(() => app.close());

const JSON_TYPE = { 'content-type': 'application/json' };

const send = (body: Buffer, encoding: string): Promise<Response> =>
  fetch(`${address}${url}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, 'content-encoding': encoding },
    body: new Uint8Array(body),
  });

/** A body that needs nearly all that bodies may take together is read. */
const expectWholeBudget = () =>
  expect
    .poll(
      async () =>
        (await send(Buffer.from(JSON.stringify({ text: 'x'.repeat(3.9 * MEGABYTE) })), 'identity')).status,
    )
    .toBe(200);

describe('compressed bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('a call with a body in %s is read as if it had been sent plain (§4.1)', async (encoding, compress) => {
    const text = 'größe'.repeat(20_000);
    const answer = await send(compress(JSON.stringify({ text })), encoding);
    expect(await answer.json()).toMatchObject({ status: 'success', outputs: { out: { result: text } } });
  });

  test('what a small body unpacks to is limited like any other body, and the next call is served', async () => {
    const bomb = gzipSync(`"${'a'.repeat(200 * MEGABYTE)}"`);
    expect(bomb.length).toBeLessThan(MEGABYTE);
    for (let time = 0; time < 3; time += 1) expect((await send(bomb, 'gzip')).status).toBe(413);
    expect((await send(gzipSync('{"text":"x"}'), 'gzip')).status).toBe(200);
    await expectWholeBudget();
  });

  test('a run gets the headers of the body that it sees', async () => {
    const shown = executeUrl(
      await createWorkflow(
        await app.user(),
        graph(
          [
            ['start', 'textInput'],
            ['out', 'output', { message: '$input.headers' }],
          ],
          ['start>out'],
        ),
      ),
    );
    const text = JSON.stringify({ text: 'x'.repeat(500) });
    const answer = await fetch(`${address}${shown}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(text)),
    });
    const { outputs } = (await answer.json()) as { outputs: { out: { result: Record<string, string> } } };
    expect(outputs.out.result).toMatchObject({ 'content-length': String(text.length) });
    expect(outputs.out.result).not.toHaveProperty('content-encoding');
  });

  test('bytes behind the end of the encoding, in a piece of their own, end nothing', async () => {
    const answer = new Promise<number>((resolve, reject) => {
      const call = request(`${address}${url}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      });
      call.once('error', reject).once('response', ({ statusCode = 0 }) => resolve(statusCode));
      call.write(Buffer.concat([gzipSync('{"text":"x"}'), Buffer.alloc(100)]));
      setTimeout(() => call.end('AAAA'), 100);
    });
    expect([200, 400]).toContain(await answer);
    expect((await send(gzipSync('{"text":"x"}'), 'gzip')).status).toBe(200);
  });

  test('one that is cut off gives back what it took', async () => {
    for (let time = 0; time < 2; time += 1) {
      const call = request(`${address}${url}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      }).on('error', () => undefined);
      call.write(gzipSync(randomBytes(MEGABYTE).toString('hex')).subarray(0, MEGABYTE));
      await new Promise((resolve) => setTimeout(resolve, 200));
      call.destroy();
    }
    await expectWholeBudget();
  });

  test('one for a callback, which reads it in another way, is refused', async () => {
    const answer = await app.call('POST', `/api/callbacks/${'a'.repeat(43)}`, gzipSync('{}'), {
      ...JSON_TYPE,
      'content-encoding': 'gzip',
    });
    expect([answer.statusCode, answer.headers['accept-encoding']]).toEqual([415, 'identity']);
  });

  test.each([
    ['no gzip', Buffer.from('{"text":"x"}')],
    ['gzip that is cut off', gzipSync(JSON.stringify({ text: 'x'.repeat(5000) })).subarray(0, 30)],
  ])('%s is refused in words', async (_name, body) => {
    const answer = await send(body, 'gzip');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      detail: expect.stringContaining('damaged'),
      code: 'bad_request',
    });
  });

  test('uploads, which are stored as they arrive, are not unpacked', async () => {
    const user = await app.user();
    const answer = await user.call('POST', '/api/files/upload', gzipSync('x'), {
      'content-type': 'multipart/form-data; boundary=X',
      'content-encoding': 'gzip',
    });
    expect(answer.statusCode).toBe(415);
    expect(answer.headers['accept-encoding']).toBe('identity');
  });
});

test('an empty Content-Type is named', async () => {
  const answer = await app.call('POST', url, '{}', { 'content-type': '' });
  expect(answer.statusCode).toBe(415);
  expect(answer.json()).toMatchObject({ detail: expect.stringContaining('Content-Type') });
});
