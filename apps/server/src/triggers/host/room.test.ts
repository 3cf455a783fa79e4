import { expect, test } from 'vitest';
import type { SqlClient } from '../../database/sql-client.ts';
import { createRoom } from './room.ts';

/** A workflow with so many waiting runs, and a clock that only the test moves. */
function roomFor(limit: number) {
  const state = { queued: 0, now_ms: 0, counts: 0 };
  const sql = {
    query() {
      state.counts += 1;
      return Promise.resolve({ rows: [{ queued: state.queued }], row_count: 1 });
    },
  } as unknown as SqlClient;
  const room = createRoom(sql, limit, () => state.now_ms);
  const aborted = new AbortController();
  /** False when the workflow is at its limit. */
  const enter = async () => {
    let isFull = false;
    await room
      .wait('workflow', aborted.signal, () => {
        isFull = true;
        aborted.abort();
      })
      .catch(() => undefined);
    return !isFull;
  };
  return { state, enter };
}

test('runs that come one after the other are counted once', async () => {
  const { state, enter } = roomFor(10);
  for (let run = 0; run < 5; run++) expect(await enter()).toBe(true);
  expect(state.counts).toBe(1);
});

test('room that was counted a while ago is counted again, because other sources may have used it', async () => {
  const { state, enter } = roomFor(10);
  expect(await enter()).toBe(true);
  state.queued = 10;
  expect(await enter()).toBe(true);
  state.now_ms += 1_000;
  expect(await enter()).toBe(false);
});
