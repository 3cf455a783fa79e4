import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { TransactionalSql } from '../database/sql-client.ts';
import { sampleFinal, sampleRun } from '../execution/journal/testing/samples.ts';
import { createTestApp } from '../testing/test-app.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { API_INFO } from './documentation.ts';

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => void vi.useRealTimers());

/** Holds commits of the journal back until `open` is called. */
function createGate(journal: TransactionalSql) {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const isCommit = (name: string | undefined) => name?.startsWith('journal_') ?? false;
  const gated: TransactionalSql = {
    async query(statement) {
      if (isCommit(statement.name)) await opened;
      return journal.query(statement);
    },
    transaction: (work) => journal.transaction(work),
  };
  return { gated, open: () => open() };
}

test('/readyz and /metrics show a commit that has been tried for more than five seconds', async () => {
  const database = await openTestDatabase();
  const { gated, open } = createGate(database.journal);
  const app = await createTestApp({ database: { ...database, journal: gated } });
  const ready = async () => {
    const answer = await app.call('GET', '/readyz');
    return [answer.statusCode, answer.json<{ status: string }>().status];
  };
  const metric = async (name: string) =>
    Number(new RegExp(`^millrace_${name} (\\S+)$`, 'm').exec((await app.call('GET', '/metrics')).body)?.[1]);
  const { journal } = app.services.execution;

  vi.useFakeTimers({ toFake: ['performance'] });
  const finished = journal.finish(sampleRun(), sampleFinal());
  while (journal.stats.commits === 0) await turn();
  vi.advanceTimersByTime(4_000);
  expect(await ready()).not.toContain('storage stalled');
  vi.advanceTimersByTime(2_000);
  expect(await ready()).toEqual([503, 'storage stalled']);
  expect(await metric('journal_commit_seconds')).toBe(6);
  expect(journal.hasRoom()).toBe(false);

  open();
  // Callers may have been turned away meanwhile; the record stays in line and is stored.
  await finished.catch(() => undefined);
  await journal.drain();
  expect(await ready()).not.toContain('storage stalled');
  expect(journal.stats.is_stalled).toBe(false);
  expect(await metric('journal_commit_seconds')).toBe(0);
  expect(await metric('journal_refused')).toBe(0);
  await app.close();
});

test('/api/health and /api/version answer anyone, as in the reference family', async () => {
  const app = await createTestApp();
  const [health, version] = [await app.call('GET', '/api/health'), await app.call('GET', '/api/version')];
  expect([health.statusCode, version.statusCode]).toEqual([200, 200]);
  expect(health.json()).toEqual({ status: 'healthy', service: 'millrace', version: API_INFO.version });
  expect(version.json()).toEqual({ version: API_INFO.version });
  expect(version.headers['cache-control']).toBe('no-store');
  await app.close();
});
