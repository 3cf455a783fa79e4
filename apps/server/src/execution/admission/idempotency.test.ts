import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqlClient } from '../../database/sql-client.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import type { RunHandle } from '../run/start/run-request.ts';
import { createTestEnvironment, ECHO } from '../testing/run-environment.ts';
import { createKeyedRuns, readIdempotencyKey } from './idempotency.ts';

let sql: SqlClient;
let close: () => Promise<void>;
beforeAll(async () => {
  const database = await openTestDatabase();
  sql = database.sql;
  close = () => database.close();
});
afterAll(() => close());

test('a client that leaves while another request claims its key is let go; the others get the run', async () => {
  const environment = createTestEnvironment();
  const workflow = environment.publish(ECHO);
  let begin: (handle: RunHandle) => void = () => undefined;
  const starting = new Promise<RunHandle>((resolve) => {
    begin = resolve;
  });
  const keyed = createKeyedRuns({ ...environment, start: () => starting }, sql);
  const request = {
    workflow,
    input: { headers: {}, query: {}, body: {} },
    trigger_source: 'API',
    run_as: workflow.settings.owner_id,
  };
  const key = { key: 'http:k', request_hash: 'h' };
  const claim = (left = new AbortController()) => keyed.claim(request, key, () => left.signal);
  const client = new AbortController();
  const first = claim();
  const leaving = claim(client);
  const waiting = claim();
  client.abort();
  await expect(leaving).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/client disconnected/),
  });
  const finished = Promise.resolve();
  begin({ run_id: 'r', finished } as unknown as RunHandle);
  expect(await first).toMatchObject({ run_id: 'r', replayed: false });
  expect(await waiting).toMatchObject({ run_id: 'r', replayed: true });
});

test('the key of a caller without an account is never that of a person', () => {
  const user_id = '0b7f3c1e-8d5a-4a53-9a0e-2f4c8d1b6a70';
  const input = { body: {}, query: {} };
  const stranger = readIdempotencyKey(`${user_id}:order-1`, input);
  expect(stranger?.key).not.toBe(readIdempotencyKey('order-1', input, user_id)?.key);
});

test('a stored key is recognized after an upgrade: the hash covers body and query alone, and the draft where one is run', () => {
  const input = { body: { b: 1, a: 'x' }, query: { q: '1' } };
  const text = '{"body":{"a":"x","b":1},"query":{"q":"1"}}';
  const hash = createHash('sha256').update(text).digest('hex');
  expect(readIdempotencyKey('order-1', input)?.request_hash).toBe(hash);
  const drafts = [{}, { until: 'a' }, { until: 'b' }].map(
    (draft) => readIdempotencyKey('order-1', { ...input, draft })?.request_hash,
  );
  expect(new Set([hash, ...drafts]).size).toBe(4);
});
