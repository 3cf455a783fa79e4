// What every command needs before it can run: the right Node, installed packages, a fresh build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const INSTALL_STAMP = join(root, 'node_modules', '.millrace-install');
const BUILD_STAMP = join(root, '.build', 'stamp');
const BUILD_INPUTS = ['packages', 'apps', 'tools', 'package-lock.json'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.build']);

/** Stops with a sentence when this Node cannot run Millrace. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
  if (fits) return;
  process.stderr.write(`Millrace needs Node 20.19, 22.12 or 24 and newer; this is ${process.version}.\n`);
  process.exit(1);
}

/** Runs a command of this repository and stops with its exit code when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Path of an installed command. */
export const bin = (name) => join(root, 'node_modules', '.bin', name);

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const stampIs = (path, text) => existsSync(path) && readFileSync(path, 'utf8') === text;

/** Installs the packages of the lockfile unless they already are. */
export function ensureInstalled() {
  checkNode();
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (stampIs(INSTALL_STAMP, wanted)) return;
  process.stderr.write('Installing packages (once per lockfile) ...\n');
  // Not `npm ci`: it refuses to start where a registry lacks an optional package of another platform, although the
  // locked versions that this machine needs are all there. `install --no-save` takes the locked versions and writes nothing.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  write(INSTALL_STAMP, wanted);
}

/** Newest change and number of files below the inputs of the build. */
function inputsStamp() {
  let newest = 0;
  let count = 0;
  const visit = (path) => {
    const stat = statSync(path);
    if (!stat.isDirectory()) {
      newest = Math.max(newest, stat.mtimeMs);
      count += 1;
      return;
    }
    for (const name of readdirSync(path)) if (!SKIPPED_FOLDERS.has(name)) visit(join(path, name));
  };
  for (const input of BUILD_INPUTS) visit(join(root, input));
  return `${count} ${newest}`;
}

/** Builds server and web app unless nothing has changed since the last build. */
export async function ensureBuilt() {
  const wanted = inputsStamp();
  if (stampIs(BUILD_STAMP, wanted)) return;
  process.stderr.write('Building (once per change) ...\n');
  const { build } = await import('./build.mjs');
  await build();
  write(BUILD_STAMP, wanted);
}
