import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface ChangedFiles {
  /** The commit that the working tree is compared with, as it was named. */
  readonly base: string;
  /** Paths from the root, of deleted files too. */
  readonly all: readonly string[];
  readonly existing: readonly string[];
}

/**
 * Files that differ from the commit where this branch left `main`, with changes that are not committed and files that are
 * not added yet. On `main` itself, and where there is none: from HEAD.
 */
export function changedFiles(root: string, wanted?: string): ChangedFiles {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter((path) => path !== '');
  const base = wanted ?? (hasMain(root) ? 'main' : 'HEAD');
  const from = execFileSync('git', ['merge-base', 'HEAD', base], { cwd: root, encoding: 'utf8' }).trim();
  const all = [
    ...new Set([
      ...git('diff', '--name-only', '--no-renames', '-z', from),
      ...git('ls-files', '--others', '--exclude-standard', '-z'),
    ]),
  ].sort();
  return { base, all, existing: all.filter((path) => existsSync(join(root, path))) };
}

const hasMain = (root: string): boolean =>
  spawnSync('git', ['rev-parse', '--verify', '--quiet', 'main^{commit}'], { cwd: root }).status === 0;
