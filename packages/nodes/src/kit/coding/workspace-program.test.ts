import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    secret_files: {},
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

test('secret files are there while the agent works, for it alone, and are gone afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-workspace-'));
  mkdirSync(join(folder, 'base'));
  const program = spawn(process.execPath, ['-e', WORKSPACE_PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const secret = join(folder, 'home', 'deep', 'auth.json');
  mkdirSync(join(folder, 'home', 'deep'), { recursive: true });
  writeFileSync(secret, 'of an interrupted round');
  const job = {
    folder,
    // One that an interrupted round has left is gone before the commands of the repository run.
    setup: `test ! -e ${secret}`,
    keeps_contents: false,
    max_files: 1,
    max_size: 1,
    commands: ['/bin/sh'],
    variables: {},
    files: {},
    secret_files: { 'home/deep/auth.json': 'canary' },
    fresh: {
      args: ['-c', `printf '{"mode":"%s","text":"%s"}\n' "$(stat -c %a ${secret})" "$(cat ${secret})"`],
      input: '',
    },
  };
  let printed = '';
  program.stdout.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  program.stdin.write(`${JSON.stringify(job)}\n`);
  await once(program, 'exit');
  expect(printed).toContain('{"type":"event","event":{"mode":"600","text":"canary"}}');
  expect(existsSync(secret)).toBe(false);
  rmSync(folder, { recursive: true });
});
