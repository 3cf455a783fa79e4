import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerUnreadable, answerUnroutable } from './unroutable.ts';

const app = Fastify({ frameworkErrors: answerUnroutable, clientErrorHandler: answerUnreadable });
let port: number;
beforeAll(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(() => app.close());

async function send(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  // Anything that comes behind the answer resets the connection.
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n', 400],
  ['an address without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
])('%s is answered in the form of every other refusal', async (_name, text, status) => {
  const [head = '', body = ''] = (await send(text)).split('\r\n\r\n');
  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect(JSON.parse(body)).toEqual({
    detail: expect.any(String),
    code: 'bad_request',
    request_id: expect.any(String),
  });
});

test('an address with broken escapes is not repeated in the answer', async () => {
  const answer = await app.inject({ url: '/%zz<script>' });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ code: 'bad_request', detail: expect.stringContaining('%') });
  expect(answer.body).not.toContain('script');
});
