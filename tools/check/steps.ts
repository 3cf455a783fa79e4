import type { ChosenTests } from './tests.ts';

export interface Step {
  readonly name: string;
  /** A command of the installed packages. */
  readonly command: string;
  readonly args: readonly string[];
  /** The output of the step is worth reading when it holds, too. */
  readonly figures?: boolean;
  /** The remedy when the step does not hold, unless its own words say so. */
  readonly remedy?: string;
}

const BIOME = ['ci', '--colors=off', '--formatter-enabled=true', '--assist-enabled=true'];
const LINT = ['--type-aware', '--deny-warnings'];

const SPELL = ['lint', '--no-progress', '--no-color', '--show-suggestions'];

/** Files are known by their content, because a checkout gives them all a new time. Changed dictionaries are noticed. */
const spelling: Step = {
  name: 'spelling',
  command: 'cspell',
  args: [...SPELL, '--cache', '--cache-strategy=content', '--cache-location=.build/cspell/cache'],
  remedy:
    'Correct each word where it is, or add it to its group in tools/check/words.txt, or in words-of-tests.txt when only tests have it.',
};
/** Copies are found between any two files, so all are read each time, which takes two seconds. */
const repetition: Step = {
  name: 'repetition',
  command: 'jscpd',
  args: ['--fail-on-empty'],
  remedy: 'Write what is the same once, in a function with a name, and use it in both places.',
};
const types = { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] };
const engineTypes = {
  name: 'types of the pure engine',
  command: 'tsc',
  args: ['-p', 'packages/engine/tsconfig.json'],
};
const webTypes = { name: 'types of the web app', command: 'tsc', args: ['-p', 'apps/web/tsconfig.json'] };
const journeyTypes = {
  name: 'types of the browser journeys',
  command: 'tsc',
  args: ['-p', 'e2e/journeys/tsconfig.json'],
};
const structure = {
  name: 'dependency rules, size budgets, documents, lockfile',
  command: 'tsx',
  args: ['tools/structure/main.ts'],
};
const deadCode = { name: 'dead code', command: 'knip', args: [] };
const freshness = {
  name: 'generated files are fresh',
  command: 'tsx',
  args: ['tools/generate.ts', '--check'],
};
const bundle = {
  name: 'bundle budgets',
  command: 'tsx',
  args: ['apps/web/scripts/check-bundle.mjs'],
  figures: true,
};

/** Part of `npm test`, too. */
export const unitTests: Step = {
  name: 'unit tests',
  command: 'vitest',
  args: ['run', '--reporter=dot', 'packages', 'tools', 'apps/web'],
};

/** The steps that must hold before a change lands, quickest first. */
export const allSteps: readonly Step[] = [
  { name: 'format', command: 'biome', args: [...BIOME, '.'] },
  { name: 'lint', command: 'oxlint', args: [...LINT, '.'] },
  types,
  engineTypes,
  webTypes,
  journeyTypes,
  structure,
  repetition,
  deadCode,
  spelling,
  freshness,
  bundle,
  unitTests,
];

/** The files that a step looks at: it is left out when none of them has changed. */
const NEEDED_BY: readonly (readonly [step: Step, reads: RegExp])[] = [
  [types, /\.(ts|tsx|mjs|json)$/],
  [engineTypes, /^packages\/engine\/.*\.ts$/],
  [webTypes, /^(apps\/web|packages)\/.*\.(tsx?|json)$/],
  [journeyTypes, /^(e2e\/journeys|apps\/web)\/.*\.tsx?$/],
  [structure, /\.(tsx?|md)$|\/de\.json$|^package-lock\.json$/],
  [repetition, /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$|^\.jscpd\.json$/],
  [deadCode, /\.(tsx?|mjs)$|(^|\/)(package|knip)\.json$/],
  [
    freshness,
    new RegExp(
      [
        '^(packages|docs|tools/generate)/',
        '^tools/(generate|new/names)\\.ts$',
        '^apps/server/src/(config\\.ts|http/|database/|resources/.*routes\\.ts$)',
        '^apps/web/src/(search\\.ts$|(shell|messages)/places/)',
        '^apps/web/src/.*/(texts/(en|de)\\.json|place\\.ts)$',
        '\\.generated\\.ts$',
        '/texts/use-',
      ].join('|'),
    ),
  ],
  [bundle, /^apps\/web\/.*\.(tsx?|css|json|mjs)$/],
];

/** The files in the `files` setting of `cspell.json`, which cspell ignores for files given as arguments. */
const SPELLED = /\.(tsx?|m[jt]s|md)$|(^|\/)en\.json$/;
/** A word that left a dictionary may be anywhere. */
const DICTIONARIES = /^cspell\.json$|^tools\/check\/words[\w-]*\.txt$/;

function buildSpellingSteps(changed: readonly string[], existing: readonly string[]): Step[] {
  if (changed.some((path) => DICTIONARIES.test(path))) return [spelling];
  const spelled = existing.filter((path) => SPELLED.test(path));
  if (spelled.length === 0) return [];
  return [{ ...spelling, args: [...SPELL, '--no-must-find-files', '--', ...spelled] }];
}

/**
 * The steps that changed files need.
 *
 * @param existing those of `changed` that are not deleted
 */
export function stepsFor(
  changed: readonly string[],
  existing: readonly string[],
  { vitest, matrix_paths, journeys }: ChosenTests,
): Step[] {
  const steps: Step[] = [];
  const sources = existing.filter((path) => /\.(tsx?|mjs)$/.test(path));
  if (existing.length > 0) {
    const args = [...BIOME, '--files-ignore-unknown=true', '--no-errors-on-unmatched', ...existing];
    steps.push({ name: 'format', command: 'biome', args });
  }
  if (sources.length > 0) steps.push({ name: 'lint', command: 'oxlint', args: [...LINT, ...sources] });
  steps.push(...buildSpellingSteps(changed, existing));
  for (const [step, reads] of NEEDED_BY) if (changed.some((path) => reads.test(path))) steps.push(step);
  if (vitest.length > 0) {
    const name = `tests (${vitest.length} files)`;
    steps.push({ name, command: 'vitest', args: ['run', '--reporter=dot', ...vitest] });
  }
  if (matrix_paths.length > 0) steps.push(matrixStep(matrix_paths));
  if (journeys.length > 0) {
    const name = `browser journeys (${journeys.join(', ')})`;
    const specs = journeys.map((journey) => `${journey}.spec.ts`);
    steps.push({ name, command: 'tsx', args: ['tools/test.mjs', 'browser', ...specs] });
  }
  return steps;
}

/** Rows of the authorization matrix are named by method and path. */
function matrixStep(paths: readonly string[]): Step {
  const pattern = paths.map((path) => path.replace(/[^\w/]/g, '\\$&')).join('|');
  return {
    name: `authorization matrix (${paths.length} paths)`,
    command: 'vitest',
    args: [
      'run',
      '--reporter=dot',
      'e2e/spec/authorization-matrix.test.ts',
      '-t',
      `every endpoint has a row|(?:GET|POST|PUT|PATCH|DELETE) (?:${pattern})(?: |$)`,
    ],
  };
}
