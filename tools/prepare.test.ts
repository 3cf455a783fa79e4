import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasDevPackages, isBuilt, isInstalled, markBuilt, readInputsStamp } from './prepare.mjs';

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
  const locked = (packages: object) => put('package-lock.json', JSON.stringify({ packages }));
  /** The record that npm keeps after an installation. */
  const installed = (packages: object) => {
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    put('node_modules/.package-lock.json', JSON.stringify({ packages }));
  };
  const served = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/@own/b': { link: true } };
  const all = { ...served, 'node_modules/c': { version: '2.0.0', dev: true } };
  const found = () => [isInstalled('serve', folder), isInstalled('develop', folder)];

  it('satisfy serving when all are there, but not the other way round', () => {
    locked({ '': {}, 'packages/b': {}, ...all, 'node_modules/d': { version: '3.0.0', optional: true } });
    expect(found()).toEqual([false, false]);
    installed(served);
    expect(found()).toEqual([true, false]);
    installed(all);
    expect(found()).toEqual([true, true]);
  });

  it('for developing are noticed, so that starting does not remove them', () => {
    expect(hasDevPackages(folder)).toBe(false);
    installed(served);
    expect(hasDevPackages(folder)).toBe(false);
    installed(all);
    expect(hasDevPackages(folder)).toBe(true);
  });

  it('are those of another lockfile no more', () => {
    locked(served);
    installed(served);
    expect(found()).toEqual([true, true]);
    locked({ ...served, 'node_modules/a': { version: '1.0.1' } });
    expect(found()).toEqual([false, false]);
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
