import { type AddressInfo, connect, type Socket } from 'node:net';
import { MEGABYTE } from '@millrace/engine/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkflow, ECHO, executeUrl, until } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createBodyBudget } from './read-body.ts';

let app: TestApp;
let owner: TestUser;
let port: number;
let open_id: string;
let closed_id: string;
beforeAll(async () => {
  const env = {
    REQUEST_BODY_MAX_SIZE_MB: '4',
    REQUEST_BODIES_MAX_SIZE_MB: '4',
  };
  app = await createTestApp({ env });
  owner = await app.user();
  open_id = await createWorkflow(owner, ECHO);
  closed_id = await createWorkflow(owner, ECHO);
  await owner.call('PUT', `/api/workflows/${closed_id}`, { auth_type: 'jwt' });
  await app.listen();
  port = (app.app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

/** A client that writes the given bytes and keeps what comes back. */
function client(to = port): { socket: Socket; answer: () => string; closed: Promise<void> } {
  const socket = connect(to, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  return { socket, answer: () => text, closed };
}

const head = (path: string, more: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...more, '', ''].join('\r\n');

const length = (bytes: number) => `Content-Length: ${bytes}`;

const parseStatus = (answer: string): string | undefined => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];

async function answerTo(head_text: string, body = ''): Promise<string> {
  const { socket, answer } = client();
  socket.write(head_text + body);
  await until(async () => parseStatus(answer()) !== undefined);
  socket.destroy();
  return answer();
}

describe('a caller is known before a body is read', () => {
  test.each([
    ['an address for people', '/api/workflows', '401'],
    ['a workflow that needs a token (§5.1)', () => executeUrl(closed_id), '401'],
    ['a stream that needs a token', () => executeUrl(closed_id, '/stream'), '401'],
    ['a workflow that does not exist', '/api/workflows/00000000-0000-4000-8000-000000000000/execute', '404'],
  ])('%s', async (_, path, status) => {
    const url = typeof path === 'string' ? path : path();
    // Not one byte of the body is sent, so an answer proves that none was waited for.
    expect(parseStatus(await answerTo(head(url, [length(3 * MEGABYTE)])))).toBe(status);
  });
});

describe('an address takes no more than it needs', () => {
  test.each([
    ['sign-in', '/api/auth/login', 65 * 1024],
    ['registration', '/api/auth/register', 65 * 1024],
    ['a call over the setting', () => executeUrl(open_id), 5 * MEGABYTE],
  ])('%s, by its length', async (_, path, bytes) => {
    const answer = await answerTo(head(typeof path === 'string' ? path : path(), [length(bytes)]));
    expect(parseStatus(answer)).toBe('413');
    expect(answer).toContain('"code":"too_large"');
  });

  test('sign-in, without a length', async () => {
    const chunk = 'x'.repeat(70 * 1024);
    const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    const answer = await answerTo(head('/api/auth/login', ['Transfer-Encoding: chunked']), chunked);
    expect(parseStatus(answer)).toBe('413');
  });

  test('an ordinary address for signed-in people', async () => {
    const authorization = `Authorization: Bearer ${owner.access_token}`;
    const answer = await answerTo(head('/api/folders', [authorization, length(3 * MEGABYTE)]));
    expect(parseStatus(answer)).toBe('413');
  });
});

describe('all bodies together', () => {
  test('take no more than their budget; then calls are answered 503 until some are done', async () => {
    const half = '"'.padEnd(2.5 * MEGABYTE, 'x');
    const first = client();
    first.socket.write(head(executeUrl(open_id), [length(3 * MEGABYTE)]) + half);
    let refused = '';
    await until(async () => {
      refused = await answerTo(head(executeUrl(open_id), [length(half.length + 1)]), `${half}"`);
      return parseStatus(refused) === '503';
    });
    expect(refused.toLowerCase()).toContain('retry-after: 2');
    expect(refused).toContain('"code":"unavailable"');
    expect(parseStatus(await answerTo(head(executeUrl(open_id), [length(2)]), '{}'))).toBe('200');
    first.socket.destroy();
    await until(async () => {
      const again = await answerTo(head(executeUrl(open_id), [length(half.length + 1)]), `${half}"`);
      return parseStatus(again) === '200';
    });
  });

  test('a budget gives back what it took, and takes nothing that does not fit', () => {
    const budget = createBodyBudget(10);
    expect(budget.take(8)).toBe(true);
    expect(budget.take(3)).toBe(false);
    expect(budget.held).toBe(8);
    budget.release(8);
    expect(budget.take(10)).toBe(true);
  });
});

describe('a request that does not arrive in time is answered 408 and let go', () => {
  test.each([
    ['its headers', `POST /api/auth/login HTTP/1.1\r\nHost: x\r\n`],
    ['its body', `${head('/api/auth/login', [length(100)])}{`],
  ])('%s', async (_, text) => {
    const env = { REQUEST_TIMEOUT_SECONDS: '2', HEADER_TIMEOUT_SECONDS: '1' };
    const hasty = await createTestApp({ env });
    await hasty.listen();
    const { socket, answer, closed } = client((hasty.app.server.address() as AddressInfo).port);
    socket.write(text);
    await closed;
    expect(parseStatus(answer())).toBe('408');
    await hasty.close();
  });
});
