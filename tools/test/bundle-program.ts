import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { isExternal } from '../build.mjs';
import { root } from '../prepare.mjs';

/** Inside the repository, where bundles find their packages. */
const cache = join(root, 'node_modules', '.cache');

const PREFIX = 'millrace-';
const DAY_MS = 86_400_000;

/** A new folder for bundles; the caller removes it. Those that runs left behind which were killed go a day later. */
export function makeBundleFolder(name: string): string {
  mkdirSync(cache, { recursive: true });
  for (const left of readdirSync(cache).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = join(cache, left);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true });
  }
  return mkdtempSync(join(cache, `${PREFIX}${name}-`));
}

/** Bundles programs into a folder as the product is bundled, by the names that their files get. */
export async function bundleInto(folder: string, input: Readonly<Record<string, string>>): Promise<void> {
  const cwd = join(root, 'apps', 'server');
  const bundle = await rolldown({ input, platform: 'node', cwd, external: isExternal, logLevel: 'warn' });
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
}

const made = new Map<string, Promise<string>>();

/**
 * A program of the tests as one file, which starts within a tenth of a second; from its sources it takes seconds on a busy machine. Made once in a
 * process of the tests, in the folder of their run.
 */
export function bundleProgram(file: string): Promise<string> {
  const known = made.get(file);
  if (known !== undefined) return known;
  const name = basename(file, '.ts');
  const programs = process.env['TEST_PROGRAMS'];
  if (programs === undefined) throw new Error('programs are bundled for tests, which have a folder for them');
  const folder = mkdtempSync(join(programs, `${name}-`));
  const program = bundleInto(folder, { [name]: file }).then(() => join(folder, `${name}.js`));
  made.set(file, program);
  return program;
}
