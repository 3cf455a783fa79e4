// Builds the web app apart from the one that is served and fails when the JavaScript that a person must load grows past
// its budget. Sizes are gzipped kilobytes (1000 bytes) of JavaScript, shared chunks counted where they are needed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const web = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const dist = join(root, '.build', 'bundle');
/** `--files` lists every chunk behind a sum. */
const withFiles = process.argv.includes('--files');

const build = spawnSync(
  join(root, 'node_modules', '.bin', 'vite'),
  ['build', '--logLevel', 'warn', '--outDir', dist, '--emptyOutDir'],
  { cwd: web, stdio: ['ignore', 'inherit', 'inherit'] },
);
if (build.status !== 0) process.exit(build.status ?? 1);
const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));

const nodeTypes = Object.keys(manifest).find((key) => manifest[key].name === 'catalog');

/** Each a tenth above what was measured when it was set; CONTRIBUTING says what to do at a limit. */
const BUDGETS = [
  // What every page loads before it shows something, the texts of one language included.
  { name: 'shell', budget_kb: 201, roots: ['index.html', 'src/messages/en.ts'], without: [] },
  // All that a visitor of a portal loads.
  { name: 'chat', budget_kb: 55, roots: ['chat.html'], without: [] },
  // What a chat adds to the pages of another site before it is opened.
  { name: 'chat bubble', budget_kb: 1.7, roots: ['src/chat/embed.ts'], without: [] },
  // The definitions of all node types and the schemas that check them. They grow with each integration, so the editor's
  // own code has a budget apart.
  {
    name: 'node types',
    budget_kb: 93,
    roots: [nodeTypes],
    without: ['index.html', 'src/messages/en.ts'],
  },
  // What opening the editor adds besides.
  {
    name: 'editor',
    budget_kb: 188,
    roots: ['src/pages/editor/editor-page.tsx'],
    without: ['index.html', 'src/messages/en.ts', nodeTypes],
  },
  // What the panel of a node adds after the first paint: the expression language, its code editor and the views of results.
  {
    name: 'node panel',
    budget_kb: 276,
    roots: ['src/editor/panel/frame/node-panel.tsx'],
    without: ['index.html', 'src/messages/en.ts', 'src/pages/editor/editor-page.tsx'],
  },
  // What the field for code adds to the panel, without the grammar of its language.
  {
    name: 'code field',
    budget_kb: 3,
    roots: ['src/editor/fields/code/code-field.tsx'],
    without: [
      'index.html',
      'src/messages/en.ts',
      'src/pages/editor/editor-page.tsx',
      'src/editor/panel/frame/node-panel.tsx',
    ],
  },
  // What the quick drawer adds to the page that it opens over.
  {
    name: 'quick drawer',
    budget_kb: 63,
    roots: ['src/pages/quick-drawer/quick-drawer.tsx'],
    without: ['index.html', 'src/messages/en.ts', nodeTypes],
  },
];

/** The texts of a part of the app, which load with its code. */
const TEXTS = /\/texts\/en\.json$/;

/** Files of a chunk, of everything that it imports statically and of the texts of one language. */
function collectFiles(key, seen = new Set()) {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`the build has no chunk ${key}; budgets and sources drifted apart`);
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const imported of chunk.imports ?? []) collectFiles(imported, seen);
  for (const imported of chunk.dynamicImports ?? []) if (TEXTS.test(imported)) collectFiles(imported, seen);
  return seen;
}

const union = (keys) => new Set(keys.flatMap((key) => [...collectFiles(key)]));
const measureSize = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1000;

let failed = false;
for (const { name, budget_kb, roots, without } of BUDGETS) {
  const had = union(without);
  const files = [...union(roots)].filter((file) => file.endsWith('.js') && !had.has(file));
  const sizes = files.map((file) => ({ file, kb: measureSize(file) })).sort((a, b) => b.kb - a.kb);
  const total = sizes.reduce((sum, { kb }) => sum + kb, 0);
  const verdict = total <= budget_kb ? 'ok' : 'OVER BUDGET';
  failed ||= total > budget_kb;
  process.stdout.write(`${name}: ${total.toFixed(1)} kB of ${budget_kb} kB ${verdict}\n`);
  if (withFiles || total > budget_kb)
    for (const { file, kb } of sizes) process.stdout.write(`  ${kb.toFixed(1).padStart(6)} ${file}\n`);
}
process.exitCode = failed ? 1 : 0;
