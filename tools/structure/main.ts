import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFileSizes, checkFolderSizes } from './budgets.ts';
import { checkDocuments } from './documents.ts';
import { listSources, readModule, readWorkspaceExports } from './modules.ts';
import { checkCycles, checkResolves, checkRules, RULES } from './rules.ts';

/** Fewer modules than this means that the reader went blind, not that the product shrank. */
const FEWEST_MODULES = 200;

const root = fileURLToPath(new URL('../..', import.meta.url));
const workspace = readWorkspaceExports(root, [
  'packages/engine',
  'packages/nodes',
  'packages/contracts',
  'apps/server',
  'apps/web',
]);
const sources = listSources(root, ['packages', 'apps', 'tools', 'bench', 'e2e']);
const modules = sources.map((path) => readModule(path, readFileSync(join(root, path), 'utf8'), workspace));
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

const violations = [
  ...checkRules(modules),
  ...checkResolves(modules, (path) => existsSync(join(root, path))),
  ...checkCycles(modules),
  ...checkFileSizes(modules),
  ...checkFolderSizes(modules),
  ...checkDocuments(root, documents),
];
if (modules.length < FEWEST_MODULES) {
  violations.push({
    rule: 'reads-enough',
    path: '.',
    message: `only ${modules.length} modules were read; at least ${FEWEST_MODULES} are expected`,
  });
}
for (const { rule, path, message } of violations) console.log(`${path}: [${rule}] ${message}`);
console.log(
  `${modules.length} modules, ${RULES.length} dependency rules, ${documents.length} documents: ${violations.length} violations`,
);
process.exit(violations.length === 0 ? 0 : 1);
