import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { SqlClient } from '../../database/sql-client.ts';
import { createHeldRuns } from './held-runs.ts';
import { createSweeper } from './sweeper.ts';

/** Sweeps at least twice; the statement `failing` is refused with the error. */
async function sweptWith(failing: string, error: Error): Promise<{ asked: string[]; cancelled: string[] }> {
  const asked: string[] = [];
  const cancelled: string[] = [];
  const sql = {
    query({ name = '' }: { name?: string }) {
      asked.push(name);
      if (name === failing) return Promise.reject(error);
      return Promise.resolve({ rows: name === 'requested_cancels' ? [{ id: 'run' }] : [], row_count: 0 });
    },
  } as unknown as SqlClient;
  const sweeper = createSweeper({
    sql,
    worker_id: 'worker',
    sole_owner: false,
    interval_ms: 1,
    log: pino({ level: 'silent' }, { write: () => undefined }),
    held: createHeldRuns(() => false),
    onWake: () => undefined,
    onDecision: () => undefined,
    onCancel: (id) => cancelled.push(id),
  });
  sweeper.start();
  await vi.waitFor(() => expect(asked.filter((name) => name === failing).length).toBeGreaterThan(1));
  await sweeper.stop();
  return { asked, cancelled };
}

test('a duty of the sweep that fails keeps no other one from being done', async () => {
  const { cancelled } = await sweptWith('mark_expired_workers', new Error('no permission'));
  expect(cancelled).toContain('run');
});

test('a sweep asks for nothing more once the database is away', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const { asked } = await sweptWith('mark_expired_workers', away);
  expect(new Set(asked)).toEqual(new Set(['mark_expired_workers']));
});
