import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Files, staleFiles, writeFiles } from './generate/files.ts';
import { generatedLists } from './generate/lists.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const GUIDES = 'docs/nodes';

/** Pages of nodes that are gone. */
const extraGuides = (files: Files): string[] =>
  readdirSync(join(root, GUIDES))
    .map((name) => `${GUIDES}/${name}`)
    .filter((path) => !files.has(path));

/** Reads the parts of the product that cannot be loaded before its lists are fresh. */
async function readProduct() {
  const [{ generatedDocuments }, consolidated, { migrationProblems }] = await Promise.all([
    import('./generate/documents.ts'),
    import('./generate/consolidated-schema.ts'),
    import('./generate/schema.ts'),
  ]);
  return { documents: generatedDocuments(root), consolidated, migrationProblems };
}

async function check(): Promise<readonly string[]> {
  const tell = (paths: readonly string[]) =>
    paths.length === 0
      ? []
      : [`Run \`npm run generate\`; stale:\n${paths.map((path) => `  ${path}`).join('\n')}`];
  const lists = staleFiles(root, generatedLists(root));
  if (lists.length > 0) return tell(lists);
  const { documents, consolidated, migrationProblems } = await readProduct();
  const schema = consolidated.isConsolidatedFresh() ? [] : [consolidated.CONSOLIDATED_PATH];
  const stale = [...staleFiles(root, documents), ...extraGuides(documents), ...schema];
  return [...tell(stale), ...migrationProblems(root)];
}

async function write(): Promise<readonly string[]> {
  const lists = writeFiles(root, generatedLists(root));
  const { documents, consolidated } = await readProduct();
  const written = [...lists, ...writeFiles(root, documents)];
  for (const path of extraGuides(documents)) rmSync(join(root, path));
  if (!consolidated.isConsolidatedFresh()) {
    writeFileSync(join(root, consolidated.CONSOLIDATED_PATH), await consolidated.consolidateSchema());
    written.push(consolidated.CONSOLIDATED_PATH);
  }
  return written.map((path) => `wrote ${path}`);
}

const isCheck = process.argv.includes('--check');
const lines = await (isCheck ? check() : write());
for (const line of lines) console.log(line);
process.exit(isCheck && lines.length > 0 ? 1 : 0);
