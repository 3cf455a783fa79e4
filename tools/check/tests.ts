import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type AnyEndpoint, allEndpoints } from '../../packages/contracts/src/index.ts';
import {
  listSources,
  type Module,
  readModule,
  readWorkspaceExports,
  WORKSPACES,
} from '../structure/modules.ts';
import { changesItemsOnly, isList, namedModules, readWords } from './lists.ts';

export interface ChosenTests {
  /** Files for vitest. */
  readonly vitest: readonly string[];
  /** Endpoints whose rows of the authorization matrix run. */
  readonly matrix_paths: readonly string[];
  /** Names of `e2e/journeys/<name>.spec.ts`. */
  readonly journeys: readonly string[];
}

export function readSources(root: string): Module[] {
  const workspace = readWorkspaceExports(root, WORKSPACES);
  return listSources(root, ['packages', 'apps', 'tools', 'e2e']).map((path) =>
    readModule(path, readFileSync(join(root, path), 'utf8'), workspace),
  );
}

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** Files that tests read, or see at work, without importing them. */
const READ: readonly { readonly file: RegExp; readonly tests: readonly string[] }[] = [
  {
    file: /^packages\/nodes\/src\/[^/]+\/guide\.md$/,
    tests: ['packages/nodes/src/catalog.test.ts', 'packages/nodes/src/guide-expressions.test.ts'],
  },
  { file: /^packages\/nodes\/src\/[^/]+\/de\.json$/, tests: ['packages/nodes/src/texts/texts.test.ts'] },
  {
    file: /^tools\/new\/|^packages\/nodes\/src\/testing\/(word-count|notes)\//,
    tests: ['e2e/tools/new-skeletons.test.ts'],
  },
  {
    file: /^packages\/import-n8n\/src\/.+\/.+\.ts$/,
    tests: [
      'packages/import-n8n/src/convert.test.ts',
      'packages/import-n8n/src/kinds/kinds.test.ts',
      'packages/import-n8n/src/kinds/lists.test.ts',
    ],
  },
  { file: /^CONTRIBUTING\.md$/, tests: ['packages/nodes/src/testing/notes.test.ts'] },
  { file: /^docs\/mcp-conformance\.md$/, tests: ['e2e/spec/5.6-mcp-conformance.test.ts'] },
  { file: /^docs\/expressions\.md$/, tests: ['tools/generate/expressions.test.ts'] },
  { file: /^apps\/server\/src\/database\/migrations\//, tests: ['tools/generate/schema.test.ts'] },
];

export interface Sources {
  readonly root: string;
  readonly modules: readonly Module[];
  /** Lines of a changed file that differ, without their signs. */
  readLines(path: string): readonly string[];
}

/** The tests that changed files need: near them, of what imports them, and of what they are seen through. */
export async function testsFor(changed: readonly string[], sources: Sources): Promise<ChosenTests> {
  const { root, modules } = sources;
  const tests = modules.map(({ path }) => path).filter(isTest);
  const vitest = new Set(
    changed.flatMap((path) => [
      ...readers(path),
      ...(resourceTests(path, tests) ??
        itemTests(path, tests, sources) ?? [
          ...nearTests(path, tests),
          ...findImporters(path, modules).flatMap((importer) => ownTests(importer, tests)),
        ]),
    ]),
  );
  const inSource = changed.filter((path) => !isTest(path));
  const contracts = contractNames(root);
  const touched = new Set(inSource.flatMap((path) => findContracts(path, contracts)));
  const endpoints = await Promise.all([...touched].map((name) => loadEndpoints(root, name)));
  const rows = changed.includes(CASES) ? endpointsNamed(sources.readLines(CASES)) : [];
  return {
    vitest: [...vitest].filter((path) => path !== MATRIX || changed.includes(path)).sort(),
    matrix_paths: [...new Set([...endpoints.flat(), ...rows].map(({ path }) => path))].sort(),
    journeys: [...new Set(changed.flatMap((path) => findJourneys(root, path)))].sort(),
  };
}

const CASES = 'e2e/spec/authorization-matrix.cases.ts';
/** The file that makes each kind of the matrix; its rows follow from the contract. */
const WORLD = 'e2e/support/matrix-world.ts';
/** The whole schema is compared with the migrations; the tests of upgrades open every older version. */
const SCHEMA = /^apps\/server\/src\/database\/(schema|migrations)\//;
const SCHEMA_TESTS = ['apps/server/src/database/schema.test.ts', 'tools/generate/schema.test.ts'];

function endpointsNamed(lines: readonly string[]): AnyEndpoint[] {
  const words = readWords(lines);
  return allEndpoints.filter(({ id }) => words.has(id));
}

/** Of files of one resource that tests of all others read as well: its own tests. */
function resourceTests(path: string, tests: readonly string[]): readonly string[] | undefined {
  if (path === CASES || path === WORLD) return [];
  if (SCHEMA.test(path)) return SCHEMA_TESTS;
  const [, contract] = new RegExp(`^${CONTRACTS}/([a-z-]+)\\.ts$`).exec(path) ?? [];
  if (contract === undefined) return undefined;
  const own = tests.filter((test) => {
    const [, resource] = /^apps\/server\/src\/resources\/([a-z-]+)\//.exec(test) ?? [];
    return resource !== undefined && isAbout(contract, resource);
  });
  return own.length > 0 ? [...own, ...nearTests(path, tests)] : undefined;
}

/** Of a list in which items were added, removed or moved: those of the items, and those of the list. */
function itemTests(
  path: string,
  tests: readonly string[],
  { root, readLines }: Sources,
): readonly string[] | undefined {
  const lines = readLines(path);
  if (!changesItemsOnly(path, lines)) return undefined;
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
  const named = namedModules(path, text, lines);
  return [
    ...ownTests(path, tests),
    ...named.flatMap((target) => resourceTests(target, tests) ?? nearTests(target, tests)),
  ];
}

const MATRIX = 'e2e/spec/authorization-matrix.test.ts';

/** A test itself; else those of the nearest folder that has some, with the folders inside it. Not of the whole package. */
function nearTests(path: string, tests: readonly string[]): readonly string[] {
  if (isTest(path)) return tests.includes(path) ? [path] : [];
  const [source] = /^(packages|apps)\/[^/]+\/src|^tools|^e2e/.exec(path) ?? [];
  if (source === undefined) return [];
  for (let folder = dirname(path); folder.length >= source.length; folder = dirname(folder)) {
    const isWhole = folder === source;
    const near = tests.filter((test) => (isWhole ? dirname(test) === folder : test.startsWith(`${folder}/`)));
    if (near.length > 0) return near;
  }
  return [];
}

const readers = (path: string): readonly string[] =>
  READ.flatMap(({ file, tests }) => (file.test(path) ? tests : []));

/** A test itself; those in the folder of any other file. */
const ownTests = (path: string, tests: readonly string[]): readonly string[] =>
  isTest(path) ? [path] : tests.filter((test) => dirname(test) === dirname(path));

/** Types alone are checked by the compiler. */
const findImporters = (path: string, modules: readonly Module[]): string[] =>
  modules
    .filter(({ imports }) => imports.some(({ target, type_only }) => target === path && !type_only))
    .map((module) => module.path);

const CONTRACTS = 'packages/contracts/src';

const contractNames = (root: string): string[] =>
  readdirSync(join(root, CONTRACTS))
    .filter((file) => !isList(`${CONTRACTS}/${file}`))
    .map((file) => basename(file, '.ts'));

/** Contracts that a file of theirs, or of their resource in the server, is about: `workflows` has `workflow-versions`, too. */
function findContracts(path: string, contracts: readonly string[]): readonly string[] {
  const [, contract] = new RegExp(`^${CONTRACTS}/([a-z-]+)\\.ts$`).exec(path) ?? [];
  if (contract !== undefined) return contracts.filter((name) => name === contract);
  const [, resource] = /^apps\/server\/src\/resources\/([a-z-]+)\//.exec(path) ?? [];
  if (resource === undefined) return [];
  return contracts.filter((name) => isAbout(name, resource));
}

const isAbout = (contract: string, resource: string): boolean =>
  contract === resource || contract.startsWith(`${resource.replace(/s$/, '')}-`);

async function loadEndpoints(root: string, contract: string): Promise<AnyEndpoint[]> {
  const exported = Object.values((await import(join(root, CONTRACTS, `${contract}.ts`))) as object);
  const parts = exported.flatMap((part: unknown) => (Array.isArray(part) ? (part as unknown[]) : [part]));
  return allEndpoints.filter((endpoint) => parts.includes(endpoint));
}

/** The lists of places. A new place has its own journey. */
const PLACES = /^apps\/web\/src\/(shell|messages)\/places\/|^apps\/web\/src\/routes\/places\.generated\.ts$/;

/** Journeys by name, with the folders named in their first line. A page also has the journey of its name. */
export function readJourneys(root: string): ReadonlyMap<string, readonly string[]> {
  const journeys = readdirSync(join(root, 'e2e/journeys')).filter((name) => name.endsWith('.spec.ts'));
  return new Map(
    journeys.map((file) => {
      const text = readFileSync(join(root, 'e2e/journeys', file), 'utf8');
      const [, folders] = /^\/\/ Leads through: (.+)\n/.exec(text) ?? [];
      return [
        basename(file, '.spec.ts'),
        folders?.split(', ').map((folder) => `apps/web/src/${folder}`) ?? [],
      ];
    }),
  );
}

const hasJourney = (root: string, name: string): boolean =>
  existsSync(join(root, `e2e/journeys/${name}.spec.ts`));

/** Names of journeys that a changed file of the web app, or of the journeys, needs. */
function findJourneys(root: string, path: string): readonly string[] {
  const [, journey] = /^e2e\/journeys\/([^/]+)\.spec\.ts$/.exec(path) ?? [];
  if (journey !== undefined) return [journey];
  if (isTest(path) || PLACES.test(path)) return [];
  const [, page] = /^apps\/web\/src\/pages\/([^/]+)\//.exec(path) ?? [];
  return [
    ...(page !== undefined && hasJourney(root, page) ? [page] : []),
    ...[...readJourneys(root)].flatMap(([name, folders]) =>
      folders.some((folder) => path.startsWith(`${folder}/`)) ? [name] : [],
    ),
  ];
}
