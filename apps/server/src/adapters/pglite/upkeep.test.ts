import { MEGABYTE } from '@millrace/engine/units';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SqlClient } from '../../database/sql-client.ts';
import { keepTidy } from './upkeep.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database whose log has the length that the test sets; records all other statements. */
function database() {
  const state = { bytes: 500 * MEGABYTE, done: [] as string[] };
  const sql: SqlClient = {
    query<Row>({ text }: { text: string }) {
      if (text.startsWith('SELECT'))
        return Promise.resolve({ rows: [{ bytes: state.bytes } as Row], row_count: 1 });
      state.done.push(text.split(' ')[0] ?? '');
      return Promise.resolve({ rows: [], row_count: 0 });
    },
  };
  return { state, sql };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test('a long log is cut short, so that a start after a crash has little to read', async () => {
  const { state, sql } = database();
  const stop = keepTidy(sql);
  await pass(15);
  state.bytes += 127 * MEGABYTE;
  await pass(10);
  expect(state.done).toEqual([]);
  state.bytes += 2 * MEGABYTE;
  await pass(10);
  expect(state.done).toEqual(['CHECKPOINT']);
  await pass(60);
  expect(state.done).toEqual(['CHECKPOINT']);
  await stop();
});

test('tables that were written to are vacuumed every five minutes, and an idle database is left alone', async () => {
  const { state, sql } = database();
  const stop = keepTidy(sql);
  await pass(700);
  expect(state.done).toEqual([]);
  state.bytes += 1;
  await pass(20);
  expect(state.done).toEqual(['VACUUM', 'CHECKPOINT']);
  state.bytes += 1;
  await pass(200);
  expect(state.done).toHaveLength(2);
  await pass(120);
  expect(state.done).toEqual(['VACUUM', 'CHECKPOINT', 'VACUUM', 'CHECKPOINT']);
  await stop();
  state.bytes += 1_000 * MEGABYTE;
  await pass(700);
  expect(state.done).toHaveLength(4);
});
