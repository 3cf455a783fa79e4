import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isBuilt, isInstalled, markBuilt, markInstalled, readInputsStamp } from './prepare.mjs';

let folder: string;
const put = (path: string, text: string) => writeFileSync(join(folder, path), text);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-prepare-'));
  for (const name of ['packages', 'tools', 'apps/server/dist']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  put('package-lock.json', '{"packages":{}}');
  put('packages/source.ts', 'one');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('installed packages', () => {
  it('satisfy serving when all are there, but not the other way round', () => {
    expect(isInstalled('serve', folder)).toBe(false);
    markInstalled('serve', folder);
    expect([isInstalled('serve', folder), isInstalled('develop', folder)]).toEqual([true, false]);
    markInstalled('develop', folder);
    expect([isInstalled('serve', folder), isInstalled('develop', folder)]).toEqual([true, true]);
  });

  it('are those of another lockfile no more', () => {
    markInstalled('develop', folder);
    put('package-lock.json', '{"packages":{"node_modules/a":{}}}');
    expect(isInstalled('serve', folder)).toBe(false);
  });
});

describe('the build', () => {
  it('is fresh until a source changes or the result is gone', () => {
    const build = () => {
      const inputs = readInputsStamp(folder);
      put('apps/server/dist/main.js', '');
      markBuilt(inputs, folder);
    };
    expect(isBuilt(folder)).toBe(false);
    build();
    expect(isBuilt(folder)).toBe(true);
    put('packages/source.ts', 'two');
    const later = new Date(Date.now() + 5_000);
    utimesSync(join(folder, 'packages/source.ts'), later, later);
    expect(isBuilt(folder)).toBe(false);
    build();
    rmSync(join(folder, 'apps/server/dist/main.js'));
    expect(isBuilt(folder)).toBe(false);
  });
});
