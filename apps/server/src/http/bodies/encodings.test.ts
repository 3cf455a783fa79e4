import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { MEGABYTE } from '@millrace/engine/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkflow, ECHO, executeUrl } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp } from '../../testing/test-app.ts';

let app: TestApp;
let url: string;
let address: string;
beforeAll(async () => {
  app = await createTestApp({ env: { REQUEST_BODY_MAX_SIZE_MB: '4', REQUEST_BODIES_MAX_SIZE_MB: '4' } });
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
