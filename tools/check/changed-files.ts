import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ChangedFiles {
  /** The commit that the working tree is compared with, as it was named. */
  readonly base: string;
  /** Paths from the root, of deleted files too. */
  readonly all: readonly string[];
  readonly existing: readonly string[];
  /** Lines of a file that were added or removed; all lines of a file that is new. */
  readLines(path: string): readonly string[];
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
  return {
    base,
    all,
    existing: all.filter((path) => existsSync(join(root, path))),
    readLines: (path) => readChangedLines(root, from, path),
  };
}

function readChangedLines(root: string, from: string, path: string): readonly string[] {
  const isTracked = spawnSync('git', ['ls-files', '--error-unmatch', path], { cwd: root }).status === 0;
  if (!isTracked && existsSync(join(root, path))) return readFileSync(join(root, path), 'utf8').split('\n');
  const diff = execFileSync('git', ['diff', '--no-color', '--no-ext-diff', '-U0', from, '--', path], {
    cwd: root,
    encoding: 'utf8',
  });
  return diff
    .split('\n')
    .filter((line) => /^[+-](?![+-]{2} )/.test(line))
    .map((line) => line.slice(1));
}

const hasMain = (root: string): boolean =>
  spawnSync('git', ['rev-parse', '--verify', '--quiet', 'main^{commit}'], { cwd: root }).status === 0;
