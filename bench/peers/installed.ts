import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../.build/peers', import.meta.url));

/** n8n needs Node 24. All products run on this version, so that none has the advantage of a newer one. */
export const NODE_VERSION = '24.22.3';
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

const buildFolderPath = (name: string, version: string): string => join(FOLDER, `${name}@${version}`);
const packageIn = (folder: string, name: string): string => join(folder, 'node_modules', name);
const nodeFolder = (): string => packageIn(buildFolderPath(NODE_PACKAGE, NODE_VERSION), NODE_PACKAGE);

export const nodeBinary = (): string => join(nodeFolder(), 'bin', 'node');

function run(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): void {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  const lines = (error?.message ?? stderr).trim().split('\n');
  throw new Error(`${command} ${args[0]}: ${lines.find((line) => line.includes('error')) ?? lines.at(-1)}`);
}

/**
 * Installs exactly that version in a folder of its own, once. Install scripts run only for the packages in `scripts`: the
 * others download what this workflow does not use. A mark is written last, so that half an installation is not taken for a whole one.
 * @throws Error with the line in which npm says why
 */
export function install(name: string, version: string, scripts: readonly string[] = []): string {
  const folder = buildFolderPath(name, version);
  const mark = join(folder, 'installed');
  if (existsSync(mark)) return packageIn(folder, name);
  console.log(`installing ${name}@${version} in .build/peers; this happens once`);
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund'];
  // From inside the folder: elsewhere npm takes a folder called `name@version` for the package itself.
  run(
    'npm',
    ['install', '--prefix', folder, '--ignore-scripts', '--save-exact', ...quiet, `${name}@${version}`],
    folder,
  );
  if (scripts.length > 0) {
    const path = `${join(nodeFolder(), 'bin')}:${process.env['PATH'] ?? ''}`;
    // Where a prebuilt file cannot be downloaded it is compiled, with the headers that came with Node.
    run('npm', ['rebuild', '--prefix', folder, ...scripts], folder, {
      PATH: path,
      npm_config_nodedir: nodeFolder(),
    });
  }
  writeFileSync(mark, '');
  return packageIn(folder, name);
}

export const installNode = (): string => install(NODE_PACKAGE, NODE_VERSION);
