import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, readJournal, snapshotFile } from './schema.ts';

/** The newest is what the schema is compared with; the one before is what a renewed migration starts from. */
const KEPT_SNAPSHOTS = 2;

/**
 * Makes a migration from the changes of the schema.
 *
 * @param args for the generator of the query builder, such as `--name parcels` or `--custom`
 * @returns its path from the root; absent when the schema has no changes
 */
export function generateMigration(root: string, args: readonly string[]): string | undefined {
  const before = readJournal(root).entries.length;
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/drizzle-kit'),
    ['generate', ...args],
    // It asks whether a column was renamed, and needs a terminal for that.
    { cwd: root, encoding: 'utf8', stdio: ['inherit', 'pipe', 'pipe'] },
  );
  if (status !== 0) throw new Error(`drizzle-kit generate failed\n${stdout}${stderr}`);
  const { entries } = readJournal(root);
  if (entries.length === before) {
    // It ends well even when it could not read the schema.
    if (!stdout.includes('No schema changes'))
      throw new Error(`drizzle-kit generate failed\n${stdout}${stderr}`);
    return undefined;
  }
  deleteOldSnapshots(root);
  return `${MIGRATIONS}/${entries.at(-1)?.tag}.sql`;
}

function deleteOldSnapshots(root: string): void {
  const folder = join(root, MIGRATIONS, 'meta');
  const snapshots = readdirSync(folder).filter((file) => file.endsWith('_snapshot.json'));
  for (const file of snapshots.sort().slice(0, -KEPT_SNAPSHOTS)) rmSync(join(folder, file));
}

/**
 * Takes the newest migration back and makes it from the schema of today; nothing takes its place when the schema is what
 * it was before. Throws with a sentence when another one is the newest, or when it is on `main`, where databases have it.
 */
export function renewMigration(root: string, name: string): string | undefined {
  const { tag, files } = requireNewest(root, name);
  const kept = new Map(files.map((path) => [path, readFileSync(join(root, path))]));
  const journal = readJournal(root);
  const entries = journal.entries.slice(0, -1);
  writeFileSync(join(root, JOURNAL), `${JSON.stringify({ ...journal, entries }, null, 2)}\n`);
  for (const path of files) if (path !== JOURNAL) rmSync(join(root, path));
  try {
    return generateMigration(root, ['--name', tag.replace(/^\d+_/, '')]);
  } catch (error) {
    for (const [path, content] of kept) writeFileSync(join(root, path), content);
    throw error;
  }
}

const JOURNAL = `${MIGRATIONS}/meta/_journal.json`;

function requireNewest(root: string, name: string): { tag: string; files: readonly string[] } {
  const entries = readJournal(root).entries.toReversed();
  const [newest, previous] = entries;
  const tag = newest?.tag ?? '';
  if (previous === undefined || tag.replace(/^\d+_/, '') !== name)
    throw new Error(`the newest migration is ${tag}, not ${name}; only the newest one can be renewed`);
  const path = `${MIGRATIONS}/${tag}.sql`;
  if (isOnMain(root, path))
    throw new Error(`${tag} is on main, so databases may have it; add another migration instead`);
  if (!existsSync(join(root, snapshotFile(previous.tag))))
    throw new Error(`${snapshotFile(previous.tag)}, which ${tag} starts from, is missing; git has it`);
  return { tag, files: [path, snapshotFile(tag), JOURNAL] };
}

const isOnMain = (root: string, path: string): boolean =>
  spawnSync('git', ['cat-file', '-e', `main:${path}`], { cwd: root }).status === 0;
