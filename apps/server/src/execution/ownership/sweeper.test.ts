import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { createHeldRuns } from './held-runs.ts';
import { createSweeper } from './sweeper.ts';
import { createUnleftPlaces } from './unleft-places.ts';

/** Sweeps until the statement was sent twice; `answer` gives rows by statement, or throws. */
async function sweptUntil(
  twice: string,
  answer: (name: string) => readonly object[],
): Promise<{ asked: string[]; cancelled: string[] }> {
  const asked: string[] = [];
  const cancelled: string[] = [];
  const sql = {
    async query({ name = '' }: { name?: string }) {
      asked.push(name);
      const rows = answer(name);
      return { rows, row_count: rows.length };
    },
  } as unknown as TransactionalSql;
  const sweeper = createSweeper({
    sql,
    worker_id: 'worker',
    sole_owner: false,
    interval_ms: 20,
    log: pino({ level: 'silent' }, { write: () => undefined }),
    held: createHeldRuns(() => false),
    unleft: createUnleftPlaces(sql),
    onWake: () => undefined,
    onDecision: () => undefined,
    makeErrorRun: () => undefined,
    onCancel: (id) => cancelled.push(id),
  });
  sweeper.start();
  await vi.waitFor(() => expect(asked.filter((name) => name === twice).length).toBeGreaterThan(1), {
    timeout: 10_000,
  });
  await sweeper.stop();
  return { asked, cancelled };
}

const failing = (error: Error) => (name: string) => {
  if (name === 'mark_expired_workers') throw error;
  return name === 'requested_cancels' ? [{ id: 'run' }] : [];
};

test('a duty of the sweep that fails keeps no other one from being done', async () => {
  const { cancelled } = await sweptUntil('mark_expired_workers', failing(new Error('no permission')));
  expect(cancelled).toContain('run');
});

test('a sweep asks for nothing more once the database is away', async () => {
  const away = noteConnectionError(
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  );
  const { asked } = await sweptUntil('mark_expired_workers', failing(away));
  expect(new Set(asked)).toEqual(new Set(['mark_expired_workers']));
});

test('ends that a lost process has not passed on are looked for at the start and at each takeover, not in every sweep', async () => {
  const looks = ({ asked }: { asked: string[] }) =>
    asked.filter((name) => name === 'decide_for_children').length;
  expect(looks(await sweptUntil('requested_cancels', () => []))).toBe(1);
  const lost = (name: string) => (name === 'mark_expired_workers' ? [{ id: 'lost' }] : []);
  expect(looks(await sweptUntil('requested_cancels', lost))).toBeGreaterThan(2);
});
