import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { staleFiles, writeFiles } from './files.ts';
import { inFolders } from './lists/read.ts';
import { generatedLists } from './lists.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('no list is stale', () => expect(staleFiles(root, generatedLists(root))).toEqual([]));

describe('in a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lists-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const found = () => inFolders(folder, 'things', 'thing.ts', /^export const (\w+) = thing\(/gm);

  test('things are found by their form, not by their name', () => {
    put('things/switch/thing.ts', 'export const other = 1;\nexport const switchThing = thing({});\n');
    put('things/bell/thing.ts', 'export const bell = thing({});\n');
    put('things/kit/part.ts', 'export const part = 1;\n');
    expect(found().map(({ place, name }) => [place, name])).toEqual([
      ['bell', 'bell'],
      ['switch', 'switchThing'],
    ]);
  });

  test.each([
    ['none', ''],
    ['two', 'export const a = thing({});\nexport const b = thing({});\n'],
  ])('a file that has %s is refused by its path', (name, text) => {
    put(`things/${name}/thing.ts`, text);
    expect(found).toThrow(`things/${name}/thing.ts must have one export`);
    rmSync(join(folder, 'things', name), { recursive: true });
  });

  test('what is missing or differs is written, and nothing else', () => {
    const files = new Map([
      ['lists/a.ts', 'a'],
      ['lists/b.ts', 'b'],
    ]);
    put('lists/a.ts', 'a');
    expect(writeFiles(folder, files)).toEqual(['lists/b.ts']);
    expect(writeFiles(folder, files)).toEqual([]);
  });
});
