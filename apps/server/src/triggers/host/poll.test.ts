import type { PollReceiver } from '@millrace/nodes/runtime';
import { expect, test, vi } from 'vitest';
import type { SqlClient } from '../../database/sql-client.ts';
import { createTestPoll } from '../testing/test-triggers.ts';
import type { HostContext, Reading } from './context.ts';
import { runPoll } from './poll.ts';
import type { Room } from './room.ts';

function createReading(
  receiver: unknown,
  fire: Reading['fire'],
): Reading<PollReceiver<Readonly<Record<string, unknown>>>> {
  return {
    trigger: { id: '1', workflow_id: '2', cursor: null, failures: 0, epoch: 1 },
    receiver,
    call: { params: { seconds: 5 } },
    fire,
    describeError: String,
  } as unknown as Reading<PollReceiver<Readonly<Record<string, unknown>>>>;
}

test('a poll continues when it cannot be stored that its workflow is at its limit', async () => {
  const { receiver, source } = createTestPoll();
  const name = source.happen();
  const states: unknown[] = [];
  const query = vi.fn<SqlClient['query']>(({ values }) => {
    const state = values?.[2];
    states.push(state);
    if (state === 'waiting') return Promise.reject(new Error('the database is away'));
    return Promise.resolve({ rows: [], row_count: 1 });
  });
  const warn = vi.fn();
  const context = { sql: { query }, services: { now: () => 0, log: { warn } } } as unknown as HostContext;
  const fire = vi.fn(() => Promise.resolve({ kind: 'queued', run_id: '1' } as const));
  const reading = createReading(receiver, fire);
  const full: Room = {
    wait(_workflow_id, _signal, onFull) {
      onFull?.();
      return Promise.resolve();
    },
  };

  await runPoll(context, reading, { signal: new AbortController().signal, room: full });
  expect(fire).toHaveBeenCalledWith(expect.objectContaining({ causes: [name] }));
  expect(states).toEqual(['waiting', 'armed']);
  // A rejection that nothing handles would end the process.
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), { timeout: 10_000 });
});

test('what the limits of a workflow refuse stays at the source until there is room', async () => {
  const { receiver, source } = createTestPoll();
  const name = source.happen();
  const query = vi.fn<SqlClient['query']>(() => Promise.resolve({ rows: [], row_count: 1 }));
  const context = {
    sql: { query },
    services: { now: () => 0, log: { warn: vi.fn() } },
  } as unknown as HostContext;
  const refuse = vi.fn();
  const fire = vi
    .fn<Reading['fire']>()
    .mockResolvedValueOnce({ kind: 'refused', refuse })
    .mockImplementationOnce(() => {
      expect(source.acknowledged.has(name)).toBe(false);
      return Promise.resolve({ kind: 'queued', run_id: '1' });
    });
  const room: Room = { wait: () => Promise.resolve() };
  await runPoll(context, createReading(receiver, fire), { signal: new AbortController().signal, room });
  expect(fire).toHaveBeenCalledTimes(2);
  expect(refuse).not.toHaveBeenCalled();
  expect(query.mock.calls.map(([{ values }]) => values?.[2])).toContain('waiting');
  expect(source.acknowledged.has(name)).toBe(true);
});
