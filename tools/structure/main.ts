import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFileSizes, checkFolderSizes } from './budgets.ts';
import { checkDocuments } from './documents.ts';
import { checkEngines, checkLockComplete, type LockedPackages } from './engines.ts';
import { listSources, readModule, readWorkspaceExports, WORKSPACES } from './modules.ts';
import { checkCycles, checkResolves, checkRules, RULES } from './rules.ts';
import { checkStatements } from './statements.ts';
import { checkTranslations } from './translations.ts';
import { checkWords } from './words.ts';

/** Fewer modules than this means that the reader went blind, not that the product shrank. */
const FEWEST_MODULES = 200;

const root = fileURLToPath(new URL('../..', import.meta.url));
const workspace = readWorkspaceExports(root, WORKSPACES);
const sources = listSources(root, ['packages', 'apps', 'tools', 'bench', 'e2e']);
const texts = sources.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const modules = texts.map(({ path, text }) => readModule(path, text, workspace));
const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: LockedPackages;
};
const listFiles = (...args: string[]) =>
  execFileSync('git', ['ls-files', ...args], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)));
const documents = listFiles('*.md');
/** New ones that are not added yet, too: they come from `npm run new`. */
const german = listFiles('--cached', '--others', '--exclude-standard', '*/de.json').map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** A full folder asks for a look, not for a split: one that lists things of a kind may be long. */
const warnings = checkFolderSizes(modules);
const violations = [
  ...checkRules(modules),
  ...checkResolves(modules, (path) => existsSync(join(root, path))),
  ...checkCycles(modules),
  ...checkFileSizes(modules),
  ...checkStatements(texts),
  ...checkWords(texts),
  ...checkDocuments(root, documents),
  ...checkTranslations(german),
  ...checkEngines(lockfile.packages),
  ...checkLockComplete(lockfile.packages),
];
if (modules.length < FEWEST_MODULES) {
  violations.push({
    rule: 'reads-enough',
    path: '.',
    message: `only ${modules.length} modules were read; at least ${FEWEST_MODULES} are expected`,
  });
}
for (const { rule, path, message } of warnings) console.log(`warning: ${path}: [${rule}] ${message}`);
for (const { rule, path, message } of violations) console.log(`${path}: [${rule}] ${message}`);
console.log(
  `${modules.length} modules, ${RULES.length} dependency rules, ${documents.length} documents: ${violations.length} violations, ${warnings.length} warnings`,
);
process.exit(violations.length === 0 ? 0 : 1);
