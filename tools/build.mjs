// Bundles the server and builds the web app.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { bin, markBuilt, readInputsStamp, root } from './prepare.mjs';

/** Bytes below which compression saves no packet. */
const SMALLEST_COMPRESSED = 1024;

const server = join(root, 'apps', 'server');

/** Entry points of the server, as paths below it: the program and what it starts as threads and processes. */
export const SERVER_ENTRIES = {
  main: 'src/main.ts',
  'engine-thread': 'src/adapters/pglite/engine-thread.ts',
  'lease-thread': 'src/adapters/postgres/lease-thread.ts',
  'parser-process': 'src/adapters/parsing/parser-process.ts',
  'make-database': 'src/adapters/pglite/make-database.ts',
};

/**
 * Packages that every start needs. Finding and reading each of their hundreds of modules takes a third of the start, so they
 * go into the bundle with what they import themselves; the others stay where npm put them: what only some starts need,
 * binaries, and what reads files beside its own.
 */
const BUNDLED =
  'fastify @fastify/cookie @fastify/multipart @fastify/static pino pg ipaddr.js zod drizzle-orm jose re2js mime ' +
  '@noble/hashes croner lru-cache jsonrepair undici prom-client rate-limiter-flexible @ai-sdk/provider yauzl yazl ' +
  'safe-stable-stringify';
const BUNDLED_PACKAGES = BUNDLED.split(' ');
/** Packages that those above load only if present or asked for; nothing here asks for Fastify's schemas. */
const OPTIONAL = [
  'pg-native',
  'pg-cloudflare',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
];

const isAmong = (names, id) => names.some((name) => id === name || id.startsWith(`${name}/`));

/** What the bundler leaves as an import: every package but our own, those above and what these import. */
export function isExternal(id, importer) {
  if (isAmong(OPTIONAL, id)) return true;
  if (id.startsWith('.') || id.startsWith('/') || id.startsWith('@millrace/')) return false;
  return isBuiltin(id) || !(isAmong(BUNDLED_PACKAGES, id) || importer?.includes('/node_modules/'));
}

const OUTSIDE_ASCII = /[^\0-\x7F]/g;
/** Behind an odd number of backslashes, the first of an escape would be escaped itself. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\[^\0-\x7F]/;
/** Looks no further than a template within. */
const RAW = /\bString\.raw\s*`(?:[^`\\]|\\[^])*?[^\0-\x7F]/;

/**
 * Code with escapes in place of characters outside ASCII, where these mean the same: in texts, templates, regular expressions and
 * names.
 *
 * @throws Error where they do not: behind a backslash, and in a template that is read raw. Such a text has to be written otherwise.
 */
export function withoutUnicode(code) {
  for (const pattern of [ESCAPED, RAW]) {
    const [found] = pattern.exec(code) ?? [];
    if (found !== undefined) throw new Error(`an escape would change what this means: ${found.slice(-100)}`);
  }
  return code.replaceAll(OUTSIDE_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * V8 keeps the text of every file, at two bytes per character if any of them is outside Latin-1, and eight such characters
 * doubled the largest one. Source maps are made before: what stands behind such a character in its line is some columns further
 * right than they say.
 */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, output) {
    for (const part of Object.values(output)) {
      if (part.type === 'chunk') part.code = withoutUnicode(part.code);
    }
  },
};

/** Reads the sources of the server; the caller has the result written or looks at it, and closes it. */
export async function openServerBundle() {
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries(
    Object.entries(SERVER_ENTRIES).map(([name, path]) => [name, join(server, path)]),
  );
  return rolldown({
    input,
    platform: 'node',
    cwd: server,
    external: isExternal,
    plugins: [asciiOnly],
    logLevel: 'warn',
  });
}

/** The package of a module, which names its chunk; undefined for modules of the server. */
function findPackage(id) {
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  const [, ours] = /\/packages\/([^/]+)\//.exec(id) ?? [];
  return (installed ?? ours)?.replace('@', '').replace('/', '-');
}

/** Writes the server alone: without the web app it serves its endpoints. */
export async function buildServer() {
  const out = join(server, 'dist');
  const bundle = await openServerBundle();
  rmSync(out, { recursive: true, force: true });
  await bundle.write({
    dir: out,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // One file per package, without comments, takes 11 MB less. Removing blanks as well saves nothing and makes stack traces
    // useless.
    codeSplitting: { groups: [{ name: findPackage, debugName: 'package' }] },
    comments: false,
  });
  await bundle.close();
  cpSync(join(server, 'src', 'database', 'migrations'), join(out, 'database', 'migrations'), {
    recursive: true,
  });
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

async function compressAsset(path) {
  const bytes = await readFile(path);
  if (bytes.length < SMALLEST_COMPRESSED) return;
  const [br, gz] = await Promise.all([
    compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    compressGzip(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
}

/** Assets are compressed once here instead of at every request. */
async function compressAssets(folder) {
  const names = await readdir(folder, { recursive: true });
  const assets = names.filter((name) => /\.(js|css|svg|html|json)$/.test(name));
  await Promise.all(assets.map((name) => compressAsset(join(folder, name))));
}

async function buildWeb() {
  const web = join(root, 'apps', 'web');
  if (!existsSync(join(web, 'index.html'))) return;
  const vite = spawn(bin('vite'), ['build', '--logLevel', 'warn'], { cwd: web, stdio: 'inherit' });
  const [status] = await once(vite, 'exit');
  if (status !== 0) throw new Error('the web app cannot be built');
  await compressAssets(join(web, 'dist'));
}

/** Builds both, the web app in a process of its own, and records of which sources. */
async function build() {
  // What changes while it builds is built the next time.
  const inputs = readInputsStamp();
  await Promise.all([buildWeb(), buildServer()]);
  markBuilt(inputs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
