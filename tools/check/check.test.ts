import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { changedFiles } from './changed-files.ts';
import { allSteps, stepsFor } from './steps.ts';
import { readJourneys, readSources, testsFor } from './tests.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = readSources(root);
const chooseWith = (changed: readonly string[], lines: Readonly<Record<string, readonly string[]>>) =>
  testsFor(changed, { root, modules, readLines: (path) => lines[path] ?? [] });
const chosen = (...changed: string[]) => chooseWith(changed, {});
const NONE = { vitest: [], matrix_paths: [], journeys: [] };

describe('tests of changed files', () => {
  test('a node has its own test and those of the catalogue, and none of the server', async () => {
    const { vitest, matrix_paths, journeys } = await chosen('packages/nodes/src/set/run.ts');
    expect(vitest).toContain('packages/nodes/src/set/run.test.ts');
    expect(vitest).toContain('packages/nodes/src/catalog.test.ts');
    expect(vitest.every((path) => path.startsWith('packages/nodes/src/'))).toBe(true);
    expect(vitest.length).toBeLessThan(12);
    expect([...matrix_paths, ...journeys]).toEqual([]);
  });

  test('a line in the lists of nodes has the tests of what it names, and those of the lists', async () => {
    const [catalog, runtime] = [
      'packages/nodes/src/definitions.generated.ts',
      'packages/nodes/src/implementations.generated.ts',
    ];
    const { vitest } = await chooseWith([catalog, runtime], {
      [catalog]: ["import { set } from './set/definition.ts';", '  set,'],
      [runtime]: ['  runSort,'],
    });
    expect(vitest).toContain('packages/nodes/src/set/run.test.ts');
    expect(vitest).toContain('packages/nodes/src/sort/run.test.ts');
    expect(vitest).toContain('packages/nodes/src/catalog.test.ts');
    expect(vitest).not.toContain('packages/nodes/src/http/run.test.ts');
    expect(vitest.length).toBeLessThan(20);
  });

  test('the catalogue itself has those of all that imports it', async () => {
    const catalog = 'packages/nodes/src/catalog.ts';
    const { vitest } = await chooseWith([catalog], { [catalog]: ['export const catalog = other(['] });
    expect(vitest.length).toBeGreaterThan(30);
  });

  test('a contract, its lines in the lists and its table have the tests and rows of their resource', async () => {
    const contract = 'packages/contracts/src/teams.ts';
    const lists = {
      'packages/contracts/src/resources.generated.ts': ["export * from './teams.ts';", '  ...teamEndpoints,'],
      'apps/server/src/resources/resources.generated.ts': ['  bindTeams,'],
      'apps/server/src/database/schema/tables.generated.ts': ["export * from './accounts.ts';"],
    };
    const { vitest, matrix_paths } = await chooseWith([contract, ...Object.keys(lists)], lists);
    expect(vitest).toContain('apps/server/src/resources/teams/teams.test.ts');
    expect(vitest).toContain('apps/server/src/database/schema.test.ts');
    expect(vitest).not.toContain('apps/server/src/database/upgrade.test.ts');
    expect(vitest.length).toBeLessThan(20);
    expect(matrix_paths).toContain('/api/teams/{id}');
    expect(matrix_paths.every((path) => path.startsWith('/api/teams'))).toBe(true);
  });

  test('cases of the authorization matrix have the rows of their endpoints', async () => {
    const cases = 'e2e/spec/authorization-matrix.cases.ts';
    const chosen = await chooseWith([cases], { [cases]: ["  createTeam: { body: () => ({ name: 'x' }) },"] });
    expect(chosen).toEqual({ ...NONE, matrix_paths: ['/api/teams'] });
  });

  test('a guide has the tests of its node', async () => {
    const { vitest } = await chosen('packages/nodes/src/set/guide.md');
    expect(vitest).toContain('packages/nodes/src/catalog.test.ts');
    expect(vitest).toContain('packages/nodes/src/guide-expressions.test.ts');
  });

  test('a part of the import of n8n has the tests that convert whole files', async () => {
    const { vitest } = await chosen('packages/import-n8n/src/kinds/ai/ai.ts');
    expect(vitest).toContain('packages/import-n8n/src/kinds/ai/parts.test.ts');
    expect(vitest).toContain('packages/import-n8n/src/convert.test.ts');
  });

  test('a resource has its tests and its rows of the matrix', async () => {
    const { vitest, matrix_paths } = await chosen('apps/server/src/resources/teams/service.ts');
    expect(vitest).toContain('apps/server/src/resources/teams/teams.test.ts');
    expect(matrix_paths).toContain('/api/teams/{id}');
    expect(matrix_paths.every((path) => path.startsWith('/api/teams'))).toBe(true);
  });

  test('versions of workflows belong to workflows', async () => {
    const { matrix_paths } = await chosen('apps/server/src/resources/workflows/versions.ts');
    expect(matrix_paths.some((path) => path.includes('/versions'))).toBe(true);
  });

  test('a contract has all its rows of the matrix, under any path', async () => {
    expect((await chosen('packages/contracts/src/executions.ts')).matrix_paths).toContain(
      '/api/workflows/{workflow_id}/execute',
    );
  });

  test('a page has its journeys, a journey itself, a changed test only itself', async () => {
    expect((await chosen('apps/web/src/pages/home/home-page.tsx')).journeys).toEqual(['home']);
    expect((await chosen('apps/web/src/pages/traces/trace-list.tsx')).journeys).toEqual(['evals', 'traces']);
    expect((await chosen('apps/web/src/features/workflow/settings-dialog.tsx')).journeys).toEqual([
      'analysis-document',
      'cost-budgets',
      'publish-gate',
      'unresolved-references',
    ]);
    expect((await chosen('e2e/journeys/share.spec.ts')).journeys).toEqual(['share']);
    const own = 'apps/server/src/resources/teams/teams.test.ts';
    expect(await chosen(own)).toEqual({ ...NONE, vitest: [own] });
  });

  test('a deleted test is not run', async () => {
    expect(await chosen('packages/nodes/src/set/gone.test.ts')).toEqual(NONE);
  });

  test('every folder that a journey names exists, and every journey of one subject is found by a folder', () => {
    const broad = new Set(['accessibility']);
    const pages = readdirSync(join(root, 'apps/web/src/pages'));
    const journeys = readJourneys(root);
    expect(journeys.get('share')).toEqual(['apps/web/src/features/sharing']);
    for (const folder of [...journeys.values()].flat())
      expect(existsSync(join(root, folder)), folder).toBe(true);
    const unnamed = [...journeys].flatMap(([name, folders]) =>
      folders.length > 0 || pages.includes(name) || broad.has(name) ? [] : [name],
    );
    expect(unnamed, 'name them like their page, or begin them with `// Leads through: FOLDER`').toEqual([]);
  });
});

describe('steps of changed files', () => {
  const names = (...changed: string[]) => stepsFor(changed, changed, NONE).map(({ name }) => name);

  test('a node needs no bundle and no types of the engine', () => {
    expect(names('packages/nodes/src/set/run.ts')).toEqual([
      'format',
      'lint',
      'spelling',
      'types',
      'types of the web app',
      'dependency rules, size budgets, documents, lockfile',
      'repetition',
      'dead code',
      'generated files are fresh',
    ]);
  });

  test('a document needs its format, its spelling and what documents name', () => {
    expect(names('README.md')).toEqual([
      'format',
      'spelling',
      'dependency rules, size budgets, documents, lockfile',
    ]);
  });

  test('spelling is checked in changed files of English, and everywhere when a dictionary changes', () => {
    const spelling = (...changed: string[]) =>
      stepsFor(changed, changed, NONE).find(({ name }) => name === 'spelling')?.args;
    const [english, german] = ['apps/web/src/messages/en.json', 'apps/web/src/messages/de.json'];
    expect(spelling(german, 'package-lock.json')).toBeUndefined();
    expect(spelling(german, english, 'README.md')?.slice(-3)).toEqual(['--', english, 'README.md']);
    expect(spelling('README.md', 'tools/check/words.txt')).toEqual(
      allSteps.find(({ name }) => name === 'spelling')?.args,
    );
  });

  test('a test needs no search for copies', () => {
    expect(names('packages/nodes/src/set/run.ts')).toContain('repetition');
    expect(names('e2e/spec/5.6-oauth.test.ts')).not.toContain('repetition');
  });

  test('generated files are compared when what generates them changes', () => {
    for (const path of [
      'tools/generate.ts',
      'tools/generate/nodes.ts',
      'apps/server/src/config.ts',
      'apps/web/src/search.ts',
      'apps/server/src/database/schema/tables.generated.ts',
      'apps/web/src/pages/home/texts/use-home-texts.ts',
    ])
      expect(names(path), path).toContain('generated files are fresh');
    expect(names('tools/structure/main.ts')).not.toContain('generated files are fresh');
  });

  test('nothing needs nothing', () => expect(names()).toEqual([]));

  test('a deleted file is not formatted, but what it leaves behind is checked', () => {
    const steps = stepsFor(['packages/nodes/src/set/run.ts'], [], NONE).map(({ name }) => name);
    expect(steps).toContain('types');
    expect(steps).not.toContain('format');
  });

  test('each check of files is one of all checks', () => {
    const all = new Set(allSteps.map(({ name }) => name));
    const changed = ['packages/engine/src/json.ts', 'apps/web/src/app.tsx', 'e2e/journeys/home.spec.ts'];
    for (const name of names(...changed)) expect(all).toContain(name);
    expect(names(...changed).length).toBe(all.size - 1);
  });
});

describe('dictionaries', () => {
  test.each(['words.txt', 'words-of-tests.txt'])(
    '%s is sorted within its groups and names no word twice',
    (file) => {
      const text = readFileSync(join(root, 'tools/check', file), 'utf8');
      const groups = text
        .split(/^#.*$/m)
        .map((group) => group.split('\n').filter((word) => word !== ''))
        .filter((group) => group.length > 0);
      expect(groups.length).toBeGreaterThan(1);
      for (const group of groups) expect(group).toEqual([...group].sort());
      const words = groups.flat();
      expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    },
  );
});

describe('changed files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-changed-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });

  test('are those since main, those not committed and those not added, also deleted ones', () => {
    git('init', '-q', '-b', 'main');
    for (const name of ['a.ts', 'b.ts', 'c.ts']) writeFileSync(join(folder, name), name);
    git('add', '.');
    git('commit', '-qm', 'first');
    expect(changedFiles(folder).all).toEqual([]);
    git('switch', '-qc', 'work');
    writeFileSync(join(folder, 'a.ts'), 'changed');
    git('commit', '-qam', 'second');
    rmSync(join(folder, 'b.ts'));
    writeFileSync(join(folder, 'new name.ts'), 'new');
    expect(changedFiles(folder)).toMatchObject({
      base: 'main',
      all: ['a.ts', 'b.ts', 'new name.ts'],
      existing: ['a.ts', 'new name.ts'],
    });
    expect(changedFiles(folder, 'HEAD').all).toEqual(['b.ts', 'new name.ts']);
    const { readLines } = changedFiles(folder);
    expect(readLines('a.ts')).toEqual(['a.ts', 'changed']);
    expect(readLines('b.ts')).toEqual(['b.ts']);
    expect(readLines('new name.ts')).toEqual(['new']);
  });
});
