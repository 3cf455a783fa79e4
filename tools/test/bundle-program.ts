import { mkdirSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { isExternal } from '../build.mjs';
import { root } from '../prepare.mjs';

/** Inside the repository, where bundles find their packages. */
const cache = join(root, 'node_modules', '.cache');

/** A new folder for bundles; the caller removes it. */
export function makeBundleFolder(name: string): string {
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, `millrace-${name}-`));
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
  const folder = mkdtempSync(join(process.env['TEST_PROGRAMS'] ?? makeBundleFolder('programs'), `${name}-`));
  const program = bundleInto(folder, { [name]: file }).then(() => join(folder, `${name}.js`));
  made.set(file, program);
  return program;
}
