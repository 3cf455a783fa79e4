// What every command needs before it can run: the right Node, installed packages, a fresh build.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const BUILD_INPUTS = ['packages', 'apps', 'tools', 'package-lock.json'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.build']);
const SECOND_MS = 1000;

const buildStampPath = (folder) => join(folder, '.build', 'stamp');
const builtProgram = (folder) => join(folder, 'apps', 'server', 'dist', 'main.js');

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

const readStamp = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Runs a command while a line says what is going on and for how long, and stops with its exit code when it fails. */
async function runAndTell(what, command, args, options = {}) {
  const began = performance.now();
  const out = process.stderr;
  const line = () => `  ${what} (${Math.round((performance.now() - began) / SECOND_MS)} s)`;
  out.write(out.isTTY ? line() : `  ${what} ...\n`);
  const timer = setInterval(() => out.isTTY && out.write(`\r${line()}`), SECOND_MS);
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const [status] = await once(child, 'exit').finally(() => clearInterval(timer));
  out.write(`${out.isTTY ? '\r' : ''}${line()} ${status === 0 ? 'done' : 'failed'}\n`);
  if (status !== 0) process.exit(status ?? 1);
}

const readPackages = (path) => JSON.parse(readFileSync(path, 'utf8')).packages ?? {};

/** The packages that npm has recorded as installed; undefined when no installation has finished. */
function readInstalled(folder) {
  const path = join(folder, 'node_modules', '.package-lock.json');
  return existsSync(path) ? readPackages(path) : undefined;
}

/** Packages and workspaces that the lockfile wants for a purpose, but for those of some platforms only. */
function wantedPackages(purpose, folder) {
  return Object.entries(readPackages(join(folder, 'package-lock.json'))).filter(
    ([path, { optional, dev, devOptional }]) =>
      path.includes('node_modules/') && !optional && (purpose === 'develop' || !(dev || devOptional)),
  );
}

/**
 * Whether the locked packages are there: those for serving, which includes building, or those for developing, which
 * are all and satisfy serving, too.
 */
export function isInstalled(purpose, folder = root) {
  const there = readInstalled(folder);
  if (!there) return false;
  return wantedPackages(purpose, folder).every(
    ([place, { version }]) => Object.hasOwn(there, place) && there[place].version === version,
  );
}

/** Whether packages for developing are there, which an installation for serving would remove. */
export const hasDevPackages = (folder = root) =>
  Object.values(readInstalled(folder) ?? {}).some(({ dev }) => dev);

/** Installs the packages of the lockfile that the purpose, `serve` or `develop`, needs, unless they already are. */
export async function ensureInstalled(wanted = 'develop') {
  checkNode();
  if (isInstalled(wanted)) return;
  const purpose = hasDevPackages() ? 'develop' : wanted;
  const count = wantedPackages(purpose, root).filter(([, { link }]) => !link).length;
  // `npm ci` would delete what is there first, and the packages of the other purpose with it.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const only = purpose === 'serve' ? ['--omit=dev'] : [];
  await runAndTell(`Installing ${count} packages, once per version`, 'npm', [...args, ...only]);
}

/** Newest change and number of files below the inputs of the build. */
export function readInputsStamp(folder = root) {
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
  for (const input of BUILD_INPUTS) visit(join(folder, input));
  return `${count} ${newest}`;
}

/** Whether the last build was of what is there now. */
export function isBuilt(folder = root) {
  return existsSync(builtProgram(folder)) && readStamp(buildStampPath(folder)) === readInputsStamp(folder);
}

/** @param inputs what `readInputsStamp` gave before the build began */
export function markBuilt(inputs, folder = root) {
  write(buildStampPath(folder), inputs);
}

/** Builds server and web app unless nothing has changed since the last build; in a process that ends, with its memory. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  await runAndTell('Building server and web app, once per change', process.execPath, [
    join(root, 'tools', 'build.mjs'),
  ]);
}
