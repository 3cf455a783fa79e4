// Bundles the server and builds the web app.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { bin, root, run } from './prepare.mjs';

const server = join(root, 'apps', 'server');

/** Entry points of the server: the program and what it starts as threads. */
const SERVER_ENTRIES = {
  main: 'src/main.ts',
  'engine-thread': 'src/adapters/pglite/engine-thread.ts',
  'lease-thread': 'src/adapters/postgres/lease-thread.ts',
};

/**
 * Packages of hundreds of small modules. Reading each from its own file takes a fifth of the start, so they go into the
 * bundle with what is used of them; the others stay where npm put them.
 */
const BUNDLED_PACKAGES = /^(zod|drizzle-orm|jose|re2js|mime|@noble\/hashes)(\/|$)/;
/** What the bundler leaves as an import: every package but our own and those above. */
export const isExternal = (id) =>
  !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@millrace/') && !BUNDLED_PACKAGES.test(id);

async function buildServer() {
  const { rolldown } = await import('rolldown');
  const out = join(server, 'dist');
  rmSync(out, { recursive: true, force: true });
  const input = Object.fromEntries(
    Object.entries(SERVER_ENTRIES).map(([name, path]) => [name, join(server, path)]),
  );
  const bundle = await rolldown({
    input,
    platform: 'node',
    cwd: server,
    external: isExternal,
    logLevel: 'warn',
  });
  await bundle.write({
    dir: out,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
  cpSync(join(server, 'src', 'database', 'migrations'), join(out, 'database', 'migrations'), {
    recursive: true,
  });
}

/** Assets are compressed once here instead of at every request. */
function compressAssets(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, String(name));
    if (!/\.(js|css|svg|html|json)$/.test(path)) continue;
    const bytes = readFileSync(path);
    if (bytes.length < 1024) continue;
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

function buildWeb() {
  const web = join(root, 'apps', 'web');
  if (!existsSync(join(web, 'index.html'))) return;
  run(bin('vite'), ['build', '--logLevel', 'warn'], { cwd: web });
  compressAssets(join(web, 'dist'));
}

export async function build() {
  await buildServer();
  buildWeb();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
