import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WORKSPACES } from '../structure/modules.ts';

/** The files that git knows or would add, in a new folder with the same installed packages and its own workspaces. */
export function scratchCopy(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'millrace-new-'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of files.split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  for (const folder of ['', ...WORKSPACES]) linkPackages(join(root, folder), join(copy, folder));
  linkWorkspaces(copy);
  // The structure check asks git which documents there are.
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    execFileSync('git', args, { cwd: copy });
  return copy;
}

function linkPackages(from: string, to: string): void {
  const modules = join(from, 'node_modules');
  if (!existsSync(modules)) return;
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  for (const name of readdirSync(modules)) {
    if (name === '@millrace' || name === '.cache') continue;
    symlinkSync(join(modules, name), join(to, 'node_modules', name));
  }
}

function linkWorkspaces(copy: string): void {
  mkdirSync(join(copy, 'node_modules/@millrace'), { recursive: true });
  for (const folder of WORKSPACES) {
    const name = folder.split('/').at(-1) ?? '';
    symlinkSync(join(copy, folder), join(copy, 'node_modules/@millrace', name));
  }
}

interface ScratchCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Output of a command of the installed packages, and whether it ended well. */
export function runIn(
  copy: string,
  { command, args, env = {} }: ScratchCommand,
): { ok: boolean; text: string } {
  const { status, stdout, stderr } = spawnSync(join(copy, 'node_modules/.bin', command), args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  return { ok: status === 0, text: `${stdout}${stderr}` };
}
