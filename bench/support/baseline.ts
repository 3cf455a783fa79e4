import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Below the checkout, so that its modules find the packages that are installed there. */
const FOLDER = join(root, '.build', 'baseline');

/** A commit whose speed the product has to keep. */
export interface Baseline {
  readonly commit: string;
  /** Its built server. */
  readonly main: string;
}

/** @throws Error with what the command printed */
function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** The last line counts; each says `<commit> <date> <why the baseline moved>`. */
function readCommit(): string {
  const lines = readFileSync(join(root, 'bench', 'baseline'), 'utf8')
    .trim()
    .split('\n');
  const [commit = ''] = (lines.at(-1) ?? '').split(' ');
  if (!/^[0-9a-f]{8,40}$/.test(commit)) throw new Error('the last line of bench/baseline names no commit');
  return commit;
}

/** Its own sources instead of those of the checkout; other packages are found in the folders above. */
function linkWorkspaces(folder: string): void {
  const scope = join(folder, 'node_modules', '@millrace');
  mkdirSync(scope, { recursive: true });
  for (const group of ['packages', 'apps']) {
    for (const name of readdirSync(join(folder, group))) {
      const link = join(scope, name);
      if (!existsSync(link)) symlinkSync(join('..', '..', group, name), link);
      const nested = join(root, group, name, 'node_modules');
      const linked = join(folder, group, name, 'node_modules');
      if (existsSync(nested) && !existsSync(linked)) symlinkSync(nested, linked);
    }
  }
}

/**
 * Builds the server of the commit that `bench/baseline` names, once per commit.
 * @throws Error when the commit is not in this clone or does not build with the packages installed now
 */
export function buildBaseline(): Baseline {
  const commit = readCommit();
  const folder = join(FOLDER, commit);
  const main = join(folder, 'apps', 'server', 'dist', 'main.js');
  if (existsSync(main)) return { commit, main };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = `${folder}.tar`;
  run('git', ['archive', '--output', archive, commit], root);
  run('tar', ['-xf', archive, '-C', folder], root);
  rmSync(archive);
  linkWorkspaces(folder);
  const build = "import('./tools/build.mjs').then(({ buildServer }) => buildServer())";
  run(process.execPath, ['--input-type=module', '-e', build], folder);
  return { commit, main };
}
