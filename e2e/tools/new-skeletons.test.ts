import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, KINDS, make } from '../../tools/new/make.ts';
import { runIn, scratchCopy } from '../../tools/new/scratch.ts';
import { UNTRANSLATED } from '../../tools/structure/translations.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MINUTES = 60_000;

/** A name of two words for each kind: its spellings all differ. */
const NAMES: Readonly<Record<string, string>> = {
  node: 'line-breaks',
  integration: 'open-meteo',
  resource: 'side-notes',
  screen: 'wall-clock',
};

/** Every file in which a German text waits for its translation. */
const GERMAN = [
  'apps/web/src/messages/de.json',
  'apps/web/src/pages/wall-clock/texts/de.json',
  'packages/nodes/src/line-breaks/de.json',
  'packages/nodes/src/open-meteo/de.json',
];

let untranslated = { ok: true, text: '' };
let copy = '';
const written: string[] = [];

beforeAll(() => {
  copy = scratchCopy(root);
  const commands = new Map<string, Command>();
  for (const [kind, name] of Object.entries(NAMES)) {
    const made = make(copy, kind, name);
    written.push(...made.written);
    for (const command of made.commands) commands.set(JSON.stringify(command), command);
  }
  for (const { command, args } of commands.values()) {
    const { ok, text } = runIn(copy, command, args);
    if (!ok) throw new Error(text);
  }
  untranslated = runIn(copy, 'tsx', ['tools/structure/main.ts']);
  for (const path of GERMAN) {
    const file = join(copy, path);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`${UNTRANSLATED} `, 'Deutsch: '));
  }
}, 5 * MINUTES);

afterAll(() => {
  if (copy !== '') rmSync(copy, { recursive: true, force: true });
});

function expectHeld(command: string, ...args: string[]): void {
  const { ok, text } = runIn(copy, command, args);
  expect(ok, text).toBe(true);
}

const sources = () => [...new Set(written)].filter((path) => /\.tsx?$/.test(path));

test('every kind is made here', () => {
  expect(Object.keys(NAMES)).toEqual(Object.keys(KINDS));
});

describe('what `npm run new` makes', () => {
  test('is refused until its German texts are written', () => {
    expect(untranslated.ok).toBe(false);
    const found = untranslated.text.match(/^.*(?=: \[texts-are-translated\])/gm);
    expect([...new Set(found)].sort()).toEqual(GERMAN);
  });

  test('stands behind the last node of its family in both lists', () => {
    const read = (path: string) => readFileSync(join(copy, path), 'utf8');
    expect(read('packages/nodes/src/catalog.ts')).toMatch(
      /\n {2}platform,\n {2}lineBreaks,\n {2}websocketSend,/,
    );
    expect(read('packages/nodes/src/runtime.ts')).toMatch(
      /\n {2}runPlatform,\n {2}runLineBreaks,\n {2}runWebsocketSend,/,
    );
  });

  test('is formatted', () => expectHeld('biome', 'ci', '--colors=off', ...new Set(written)));

  test(
    'has no lint',
    () => expectHeld('oxlint', '--type-aware', '--deny-warnings', ...sources()),
    2 * MINUTES,
  );

  test.each(['tsconfig.json', 'apps/web/tsconfig.json', 'e2e/journeys/tsconfig.json'])(
    'has types (%s)',
    (project) => expectHeld('tsc', '-p', project),
    2 * MINUTES,
  );

  test('keeps the rules of structure', () => expectHeld('tsx', 'tools/structure/main.ts'), MINUTES);

  test('has its generated files', () => expectHeld('tsx', 'tools/generate.ts', '--check'), MINUTES);

  test(
    'passes its own tests and those of what it is registered in',
    () => {
      const own = sources().filter((path) => path.includes('.test.'));
      expect(own.length).toBe(3);
      const lists = [
        'packages/nodes/src/catalog.test.ts',
        'packages/nodes/src/texts',
        'apps/web/src/i18n',
        'tools/check',
      ];
      expectHeld('vitest', 'run', '--reporter=dot', '--hookTimeout=180000', ...lists, ...own);
    },
    5 * MINUTES,
  );

  test(
    'has its rows in the authorization matrix',
    () => {
      const matrix = 'e2e/spec/authorization-matrix.test.ts';
      expectHeld(
        'vitest',
        'run',
        '--hookTimeout=180000',
        matrix,
        '-t',
        '/api/side-notes|every endpoint has a row',
      );
    },
    5 * MINUTES,
  );

  test('leaves no word of its sample', () => {
    for (const path of sources().filter((path) => !existsSync(join(root, path))))
      expect(readFileSync(join(copy, path), 'utf8'), path).not.toMatch(
        /word-?count|notesCred|runNotes|book.?mark/i,
      );
  });
});
