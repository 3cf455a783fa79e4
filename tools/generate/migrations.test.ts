import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { generateMigration, renewMigration } from './migrations.ts';
import { MIGRATIONS, readJournal } from './schema.ts';

// Each generation starts the generator of the query builder.
vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'millrace-migrations-'));
const SCHEMA = 'apps/server/src/database/schema';
const TABLE = `${SCHEMA}/parcels.ts`;

const writeTable = (column: string, table = 'parcels') =>
  writeFileSync(
    join(copy, SCHEMA, `${table}.ts`),
    `import { pgTable, text } from 'drizzle-orm/pg-core';\nexport const ${table} = pgTable('${table}', { ${column}: text().notNull() });\n`,
  );
const readAll = () => {
  const journal = readJournal(copy);
  const snapshots = readdirSync(join(copy, MIGRATIONS, 'meta')).filter((file) => file.includes('snapshot'));
  return { tags: journal.entries.map(({ tag }) => tag), snapshots };
};
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: copy });

beforeAll(() => {
  for (const path of ['apps/server/src/database', 'drizzle.config.ts', 'package.json'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  git('init', '-q', '-b', 'main');
  git('add', 'apps');
  git('commit', '-qm', 'first');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('a migration is made, renewed after another change, and gone when nothing is left of it', () => {
  const before = readAll();
  const number = String(before.tags.length).padStart(4, '0');
  const path = `${MIGRATIONS}/${number}_parcels.sql`;

  writeTable('name');
  expect(generateMigration(copy, ['--name', 'parcels'])).toBe(path);
  expect(readAll().tags).toEqual([...before.tags, `${number}_parcels`]);
  expect(readAll().snapshots).toEqual([`${number}_snapshot.json`]);

  writeTable('title');
  expect(renewMigration(copy, 'parcels')).toBe(path);
  expect(readFileSync(join(copy, path), 'utf8')).toContain('"title" text NOT NULL');
  expect(readFileSync(join(copy, path), 'utf8')).not.toContain('name');
  expect(readAll().tags).toEqual([...before.tags, `${number}_parcels`]);

  rmSync(join(copy, TABLE));
  expect(renewMigration(copy, 'parcels')).toBeUndefined();
  expect(existsSync(join(copy, path))).toBe(false);
  expect(readAll()).toEqual(before);
});

test('a migration of several commits is renewed from the snapshot that an earlier one deleted', () => {
  const before = readAll();
  git('checkout', '-q', '-b', 'topic');
  writeTable('name');
  generateMigration(copy, ['--name', 'parcels']);
  git('add', 'apps');
  git('commit', '-qm', 'parcels');
  rmSync(join(copy, TABLE));
  expect(renewMigration(copy, 'parcels')).toBeUndefined();
  expect(readAll()).toEqual(before);
  git('reset', '-q', '--hard', 'main');
});

test('of two that are not committed, the second is renewed', () => {
  const before = readAll();
  writeTable('name');
  generateMigration(copy, ['--name', 'parcels']);
  const first = readAll();
  writeTable('name', 'crates');
  generateMigration(copy, ['--name', 'crates']);
  writeTable('title', 'crates');
  expect(renewMigration(copy, 'crates')).toContain('_crates.sql');
  rmSync(join(copy, SCHEMA, 'crates.ts'));
  expect(renewMigration(copy, 'crates')).toBeUndefined();
  expect(readAll()).toEqual(first);
  rmSync(join(copy, TABLE));
  expect(renewMigration(copy, 'parcels')).toBeUndefined();
  expect(readAll()).toEqual(before);
});

test('one that is not the newest, or that is on main, is not renewed', () => {
  const newest = readAll().tags.at(-1) ?? '';
  expect(() => renewMigration(copy, 'initial')).toThrow(`the newest migration is ${newest}, not initial`);
  expect(() => renewMigration(copy, newest.replace(/^\d+_/, ''))).toThrow('is on main');
});

test('a schema that cannot be read leaves the migration as it was', () => {
  writeTable('name');
  generateMigration(copy, ['--name', 'parcels']);
  const before = readAll();
  writeFileSync(join(copy, TABLE), 'export const = broken');
  expect(() => renewMigration(copy, 'parcels')).toThrow('drizzle-kit generate failed');
  expect(readAll()).toEqual(before);
});
