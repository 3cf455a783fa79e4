import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createMemoryBroadcast } from '../../adapters/memory/broadcast.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../journal/testing/databases.ts';
import { sampleDecision } from '../journal/testing/samples.ts';
import { type Durability, openDurability } from './open-durability.ts';

vi.setConfig({ testTimeout: 90_000 });

const program = fileURLToPath(new URL('./testing/dying-worker.ts', import.meta.url));
const DECISION = sampleDecision({ data: { approved: true } });

/** The points at which a run pauses and continues; `e2e/crash` has those of running ones. */
describeOnPostgres('a process that dies while a run pauses', () => {
  let postgres: PostgresForTest;
  let other: Durability;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    other = openDurability({
      database: postgres.database,
      broadcast: createMemoryBroadcast(),
      log: silent,
      lease_ms: 60_000,
      sweep_ms: 100,
    });
    await other.ownership.start();
  });
  afterAll(async () => {
    await other.ownership.stop();
    await postgres.database.close();
  });

  async function dieAt(point: string): Promise<string> {
    const child = spawn(process.execPath, ['--import', 'tsx', program, postgres.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, MILLRACE_FAULT_POINT: `${point}:SIGKILL:1` },
    });
    const said: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
    const signal = await new Promise((resolve) => child.once('exit', (_status, by) => resolve(by)));
    expect(signal).toBe('SIGKILL');
    return said[0] ?? '';
  }

  const claimed = (run_id: string) =>
    vi.waitFor(async () => expect(await other.ownership.claim(1)).toMatchObject([{ run_id, attempt: 2 }]), {
      timeout: 30_000,
    });
  const stored = async (run_id: string) => {
    const found = await other.journal.load(run_id);
    if (!found) throw new Error(`no run ${run_id}`);
    return found;
  };

  test('before the wait is stored: nothing can decide it, and the node comes to it again', async () => {
    const run_id = await dieAt('before_wait');
    await claimed(run_id);
    expect(await stored(run_id)).toMatchObject({ state: 'running', waits: [] });
    expect(await other.ownership.resume(run_id, DECISION)).toBe('unknown');
  });

  test('before the pause is stored: the run is running for others, and goes through the pause again', async () => {
    const run_id = await dieAt('before_suspend');
    await claimed(run_id);
    expect(await stored(run_id)).toMatchObject({ state: 'running', waits: [{ node_id: 'review' }] });
    // The wait is stored before the run leaves memory, so its decision counts meanwhile.
    expect(await other.ownership.resume(run_id, DECISION)).toBe('resumed');
  });

  test('after it is stored: the run waits for its decision, regardless of which process was notified', async () => {
    const run_id = await dieAt('after_suspend');
    expect(await stored(run_id)).toMatchObject({ state: 'waiting' });
    expect(await other.ownership.resume(run_id, DECISION)).toBe('resumed');
    await claimed(run_id);
    expect((await stored(run_id)).waits).toMatchObject([
      { node_id: 'review', decision: { data: { approved: true } } },
    ]);
  });

  test('after the decision: another process continues the run', async () => {
    const run_id = await dieAt('after_decision');
    await claimed(run_id);
    expect((await stored(run_id)).waits).toMatchObject([
      { node_id: 'review', decision: { data: { approved: true } } },
    ]);
    expect(await other.ownership.resume(run_id, { ...DECISION, data: { approved: false } })).toBe('decided');
  });
});
