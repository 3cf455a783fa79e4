import { describe, expect, it } from 'vitest';
import { checkEngines, checkLockComplete, type LockedPackage, type LockedPackages } from './engines.ts';

const ROOT: LockedPackage = { engines: { node: '^20.19 || ^22.12 || >=24' } };
const lock = (packages: LockedPackages): LockedPackages => ({ '': ROOT, ...packages });

describe('engines of locked packages', () => {
  const needing = (node: string, more: LockedPackage = {}) =>
    lock({ 'node_modules/a': { version: '2.0.0', engines: { node }, ...more } });

  it.each(['>=22', '^20.19.0 || ^22.13.0 || >=24', '>=20 <25', '^24'])('refuses %s', (node) => {
    expect(checkEngines(needing(node))).toMatchObject([
      { rule: 'packages-run-on-our-node', message: expect.stringContaining(`node_modules/a 2.0.0 needs`) },
    ]);
  });

  it.each(['>=18', '>=20.18.1', '^18.19.0 || >=20.6.0', '^20.19.0 || >=22.12.0', '>= 0.6', '*'])(
    'accepts %s',
    (node) => {
      expect(checkEngines(needing(node))).toEqual([]);
    },
  );

  it('leaves alone what only development installs or a platform may lack', () => {
    expect(checkEngines(needing('>=22', { dev: true }))).toEqual([]);
    expect(checkEngines(needing('>=22', { optional: true }))).toEqual([]);
  });
});

describe('completeness of the lockfile', () => {
  it('names what is left out, also for another platform', () => {
    const packages = lock({
      'apps/server': { dependencies: { a: '1.0.0' } },
      'node_modules/b': { optionalDependencies: { 'b-other-platform': '1.0.0' } },
    });
    expect(checkLockComplete(packages).map(({ message }) => message.split(':')[0])).toEqual([
      'apps/server depends on a, which is not locked',
      'node_modules/b depends on b-other-platform, which is not locked',
    ]);
  });

  it('finds packages beside, inside and above the one that needs them', () => {
    const packages = lock({
      '': { ...ROOT, dependencies: { '@scope/a': '1.0.0' } },
      'apps/server': { dependencies: { b: '1.0.0', c: '1.0.0' } },
      'apps/server/node_modules/b': { dependencies: { c: '1.0.0' } },
      'node_modules/@scope/a': { dependencies: { c: '1.0.0', d: '2.0.0' } },
      'node_modules/@scope/a/node_modules/d': { dependencies: { c: '1.0.0', e: '1.0.0' } },
      'node_modules/@scope/a/node_modules/e': {},
      'node_modules/c': {},
      'node_modules/@millrace/server': { link: true },
    });
    expect(checkLockComplete(packages)).toEqual([]);
  });
});
