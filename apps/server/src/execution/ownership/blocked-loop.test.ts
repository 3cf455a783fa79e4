import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { sampleFinal, sampleRun } from '../journal/testing/samples.ts';
import { openDurability } from './open-durability.ts';

const program = fileURLToPath(new URL('./testing/blocked-worker.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'millrace-blocked-'));

describeOnPostgres('a process whose event loop is blocked for longer than its lease', () => {
  let postgres: PostgresForTest;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
  });
  afterAll(async () => {
    await postgres.database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('loses its runs to another, writes nothing any more when it comes back, and ends', async () => {
    const file = join(folder, 'go-on');
    const blocked = spawn(process.execPath, ['--import', 'tsx', program, postgres.url, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => blocked.once('exit', resolve));
    const said: string[] = [];
    createInterface({ input: blocked.stdout }).on('line', (line) => said.push(line));
    const run_id = await vi
      .waitFor(() => expect(said[0]).toBeDefined(), { timeout: 30_000 })
      .then(() => said[0] ?? '');

    const { journal, ownership } = openDurability({
      database: postgres.database,
      broadcast: createMemoryBroadcast(),
      log: silent,
      lease_ms: 60_000,
      sweep_ms: 100,
    });
    await ownership.start();
    await vi.waitFor(async () => expect(await ownership.claim(1)).toMatchObject([{ run_id, attempt: 2 }]), {
      timeout: 20_000,
    });
    await journal.loadOwned(run_id);
    await journal.finish(sampleRun({ run_id }), sampleFinal({ outputs: { by: 'the other process' } }));

    writeFileSync(file, '');
    expect(await ended).toBe(75);
    expect(said.slice(1)).toEqual(['effects are not safe']);
    const { rows } = await postgres.database.sql.query({
      text: 'SELECT outputs FROM runs WHERE id = $1',
      values: [run_id],
    });
    expect(rows).toEqual([{ outputs: '{"by":"the other process"}' }]);
    await ownership.stop();
  }, 90_000);
});
