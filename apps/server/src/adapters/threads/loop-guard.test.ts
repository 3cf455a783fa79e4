import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
} from '../../execution/journal/testing/databases.ts';
import { openPglite } from '../pglite/open.ts';

vi.setConfig({ testTimeout: 60_000 });

const program = fileURLToPath(new URL('../testing/stuck-process.ts', import.meta.url));

interface Watched {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  errors: string;
  /** Resolves when the process has said so. */
  says(word: string): Promise<void>;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(how: string, place: string): Watched {
  const child = spawn(process.execPath, ['--import', 'tsx', program, how, place], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const said = new Set<string>();
  createInterface({ input: child.stdout }).on('line', (line) => said.add(line));
  const watched: Watched = {
    child,
    errors: '',
    ended: new Promise((resolve) => child.once('exit', (status, signal) => resolve(status ?? signal))),
    async says(word) {
      while (!said.has(word)) {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${watched.errors}`);
        await sleep(20);
      }
    },
  };
  child.stderr.on('data', (text: Buffer) => {
    watched.errors += text.toString();
  });
  return watched;
}

describe('a process with the embedded database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-stuck-'));
  // Made once, for that takes longest.
  beforeAll(async () => (await openPglite({ folder })).close());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('that is stuck in a loop ignores SIGTERM and is still ended, with the reason', async () => {
    const stuck = start('stuck in a loop', folder);
    await stuck.says('ready');
    stuck.child.kill('SIGTERM');
    expect(await stuck.ended).toBe(75);
    expect(stuck.errors).toContain('stuck for 1 s');
  });

  test('that is stuck in native code is killed', async () => {
    const stuck = start('stuck in native code', folder);
    await stuck.says('ready');
    expect(await stuck.ended).toBe('SIGKILL');
  });

  test('that is busy, or was stopped as a whole, continues', async () => {
    const busy = start('busy', folder);
    await busy.says('ready');
    busy.child.kill('SIGSTOP');
    await sleep(2_500);
    busy.child.kill('SIGCONT');
    await busy.says('alive');
    busy.child.kill('SIGTERM');
    expect(await busy.ended).toBe(0);
  });
});

describeOnPostgres('a process with a lease', () => {
  let postgres: PostgresForTest;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
  });
  afterAll(() => postgres.database.close());

  test('that is stuck in a loop is ended from the thread that renews it', async () => {
    const stuck = start('stuck in a loop', postgres.url);
    await stuck.says('ready');
    expect(await stuck.ended).toBe(75);
  });
});
