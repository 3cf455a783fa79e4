import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, KINDS, make } from '../../tools/new/make.ts';
import { runIn, scratchCopy } from '../../tools/new/scratch.ts';
import { UNTRANSLATED } from '../../tools/structure/translations.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MINUTES = 60_000;

/** Names of two words: their spellings all differ. The second resource does less, the second screen lists the first one. */
const WISHES = [
  { kind: 'node', name: 'line-breaks' },
  { kind: 'integration', name: 'open-meteo' },
  { kind: 'resource', name: 'side-notes' },
  { kind: 'resource', name: 'log-lines', without: ['update', 'read'] },
  { kind: 'screen', name: 'wall-clock' },
  { kind: 'screen', name: 'side-notes' },
] as const;

/** Every file in which a German text waits for its translation. */
const GERMAN = [
  'apps/web/src/messages/places/de.json',
  'apps/web/src/pages/side-notes/texts/de.json',
  'apps/web/src/pages/wall-clock/texts/de.json',
  'packages/nodes/src/line-breaks/de.json',
  'packages/nodes/src/open-meteo/de.json',
];

const FORMAT = ['check', '--write', '--linter-enabled=false'];

let structure = { ok: true, text: '' };
let copy = '';
const written: string[] = [];

beforeAll(() => {
  copy = scratchCopy(root);
  const commands = new Map<string, Command>();
  for (const wish of WISHES) {
    const made = make(copy, wish);
    written.push(...made.written);
    // One migration makes the tables of both resources, and all guides are written at once.
    for (const command of made.commands) commands.set(command.args[0] ?? '', command);
  }
  commands.set('check', { command: 'biome', args: [...FORMAT, ...new Set(written)] });
  for (const command of commands.values()) {
    const { ok, text } = runIn(copy, command);
    if (!ok) throw new Error(text);
  }
  structure = runIn(copy, { command: 'tsx', args: ['tools/structure/main.ts'] });
  for (const path of GERMAN) {
    const file = join(copy, path);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`${UNTRANSLATED} `, 'Deutsch: '));
  }
}, 5 * MINUTES);

afterAll(() => {
  if (copy !== '') rmSync(copy, { recursive: true, force: true });
});

function expectHeld(command: string, ...args: string[]): void {
  const { ok, text } = runIn(copy, { command, args });
  expect(ok, text).toBe(true);
}

const sources = () => [...new Set(written)].filter((path) => /\.tsx?$/.test(path));
const read = (path: string) => readFileSync(join(copy, path), 'utf8');

test('every kind is made here', () => {
  expect([...new Set(WISHES.map(({ kind }) => kind))]).toEqual(Object.keys(KINDS));
});

describe('what `npm run new` makes', () => {
  test('keeps the rules of structure, but is refused until its German texts are written', () => {
    expect(structure.ok).toBe(false);
    const found = [...structure.text.matchAll(/^(?!warning: )(.*): \[([\w-]+)\]/gm)];
    expect([...new Set(found.map(([, , rule]) => rule))], structure.text).toEqual(['texts-are-translated']);
    expect([...new Set(found.map(([, path]) => path))].sort()).toEqual(GERMAN);
  });

  test('stands behind the last node of its family in both lists', () => {
    expect(read('packages/nodes/src/definitions.generated.ts')).toMatch(
      /\n {2}platform,\n {2}lineBreaks,\n {2}websocketSend,/,
    );
    expect(read('packages/nodes/src/implementations.generated.ts')).toMatch(
      /\n {2}runPlatform,\n {2}runLineBreaks,\n {2}runWebsocketSend,/,
    );
  });

  test('is formatted', () => expectHeld('biome', 'ci', '--colors=off', ...new Set(written)));

  // The compiler would check all that imports a list that has a new line; the linter has it check these files alone.
  test(
    'has types and no lint',
    () => expectHeld('oxlint', '--type-aware', '--type-check', '--deny-warnings', ...sources()),
    2 * MINUTES,
  );

  test('has its generated files', () => expectHeld('tsx', 'tools/generate.ts', '--check'), MINUTES);

  test('leaves out what a resource shall do without', () => {
    for (const path of sources().filter((path) => path.includes('/log-lines'))) {
      expect(read(path), path).not.toMatch(/readLogLine|updateLogLine|updated_at|PATCH/);
      expect(read(path), path).not.toMatch(/\/\/ (if |end)/);
    }
    expect(read('packages/contracts/src/log-lines.ts')).toContain('deleteLogLine');
    expect(read('e2e/spec/authorization-matrix.cases.ts')).toContain('createLogLine');
    expect(read('e2e/spec/authorization-matrix.cases.ts')).not.toContain('updateLogLine');
  });

  test('lists the resource of the same name on a screen', () => {
    const page = read('apps/web/src/pages/side-notes/side-notes-page.tsx');
    for (const part of ['<LoadFailed', '<EmptyState', '<DataTable', '../../data/side-notes.ts'])
      expect(page).toContain(part);
  });

  test(
    'passes its own tests, those of what it is registered in, and its rows of the authorization matrix',
    () => {
      const own = sources().filter((path) => path.includes('.test.'));
      expect(own.length).toBe(4);
      const lists = ['packages/nodes/src/catalog.test.ts', 'packages/nodes/src/texts', 'apps/web/src/i18n'];
      const matrix = 'e2e/spec/authorization-matrix.test.ts';
      // Rows of the matrix are named by method and path; all else runs.
      const others = '(?:GET|POST|PUT|PATCH|DELETE) /(?!api/(?:side-notes|log-lines))';
      const names = `^(?!.*${others})`;
      expectHeld('vitest', 'run', '--hookTimeout=180000', matrix, ...lists, ...own, '-t', names);
    },
    5 * MINUTES,
  );

  test(
    'runs in the built product',
    () => {
      const program = buildServerIn(copy);
      const names = 'lineBreaks$|open-?[mM]eteo$|nothing is left out';
      const { ok, text } = runIn(copy, {
        command: 'vitest',
        args: ['run', '--hookTimeout=180000', 'e2e/smoke/smoke.test.ts', '-t', names],
        env: { PRODUCT_MAIN: program },
      });
      expect(ok, text).toBe(true);
    },
    5 * MINUTES,
  );

  test('leaves no word of its sample', () => {
    for (const path of sources().filter((path) => !existsSync(join(root, path))))
      expect(read(path), path).not.toMatch(/word-?count|notesCred|runNotes|book.?mark/i);
  });
});

/** The server alone, built in a process of its own: cases of nodes need no web app. Gives the path of the program. */
function buildServerIn(folder: string): string {
  const build = "import('./tools/build.mjs').then(({ buildServer }) => buildServer())";
  execFileSync(process.execPath, ['-e', build], { cwd: folder, stdio: 'pipe' });
  return join(folder, 'apps/server/dist/main.js');
}
