import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVER_ENTRIES } from '../../tools/build.mjs';
import { bundleInto, makeBundleFolder } from '../../tools/test/bundle-program.ts';
import { atExit } from './services/cleanup.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const server = join(root, 'apps', 'server');

/**
 * The programs that are started as a process or a thread: the product itself, and for the negative controls those with
 * something broken.
 */
const ENTRIES = {
  ...Object.fromEntries(Object.entries(SERVER_ENTRIES).map(([name, path]) => [name, join(server, path)])),
  unfenced: join(root, 'e2e', 'crash', 'broken', 'unfenced.ts'),
  careless: join(root, 'e2e', 'crash', 'broken', 'careless.ts'),
};

/**
 * Bundles the programs of the harness as the product is bundled, so that all processes start from the same state of the
 * sources, even if these change meanwhile. Returns the folder; it is inside the repository, where packages are found, and
 * is removed when the harness ends.
 */
export async function bundlePrograms(): Promise<string> {
  const out = makeBundleFolder('crash');
  atExit(() => rmSync(out, { recursive: true, force: true }));
  await bundleInto(out, ENTRIES);
  cpSync(join(server, 'src', 'database', 'migrations'), join(out, 'database', 'migrations'), {
    recursive: true,
  });
  return out;
}
