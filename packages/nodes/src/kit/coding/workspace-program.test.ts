import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WORKSPACE_PROGRAM } from './workspace-program.ts';

test('it ends with the service that started it, for another one may take the run over and work in the same folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-workspace-'));
  mkdirSync(join(folder, 'base'));
  writeFileSync(join(folder, 'base', 'a.txt'), 'a');
  const program = spawn(process.execPath, ['-e', WORKSPACE_PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const job = {
    folder,
    setup: 'sleep 3',
    keeps_contents: false,
    max_files: 1,
    max_size: 1,
    commands: ['true'],
    variables: {},
    files: {},
    fresh: { args: [], input: '' },
  };
  program.stdin.write(`${JSON.stringify(job)}\n`);
  const [said] = (await once(program.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('{"type":"stage","stage":"setup"}\n');
  const ended = once(program, 'exit');
  program.stdin.end();
  expect(await ended).toEqual([1, null]);
  rmSync(folder, { recursive: true });
});
