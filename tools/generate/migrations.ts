import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, readJournal, snapshotFile } from './schema.ts';

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
  keepNewestSnapshot(root);
  return `${MIGRATIONS}/${entries.at(-1)?.tag}.sql`;
}

/** The schema is compared with the newest; earlier ones are in git, except one not yet committed. */
function keepNewestSnapshot(root: string): void {
  const folder = join(root, MIGRATIONS, 'meta');
  const snapshots = readdirSync(folder).filter((file) => file.endsWith('_snapshot.json'));
  for (const file of snapshots.sort().slice(0, -1))
    if (readGit(root, ['show', `HEAD:${MIGRATIONS}/meta/${file}`]) !== undefined) rmSync(join(folder, file));
}

/**
 * Takes the newest migration back and makes it from the schema of today; nothing takes its place when the schema is what
 * it was before. Throws with a sentence when another one is the newest, or when it is on `main`, where databases have it.
 */
export function renewMigration(root: string, name: string): string | undefined {
  const { tag, files, before } = requireNewest(root, name);
  const kept = new Map(files.map((path) => [path, readFileSync(join(root, path))]));
  const journal = readJournal(root);
  const entries = journal.entries.slice(0, -1);
  writeFileSync(join(root, JOURNAL), `${JSON.stringify({ ...journal, entries }, null, 2)}\n`);
  for (const path of files) if (path !== JOURNAL) rmSync(join(root, path));
  const is_there = existsSync(join(root, before.path));
  if (!is_there) writeFileSync(join(root, before.path), before.content);
  try {
    return generateMigration(root, ['--name', tag.replace(/^\d+_/, '')]);
  } catch (error) {
    if (!is_there) rmSync(join(root, before.path));
    for (const [path, content] of kept) writeFileSync(join(root, path), content);
    throw error;
  }
}

const JOURNAL = `${MIGRATIONS}/meta/_journal.json`;

interface NewestMigration {
  readonly tag: string;
  readonly files: readonly string[];
  /** The snapshot that it starts from. */
  readonly before: { readonly path: string; readonly content: string };
}

function requireNewest(root: string, name: string): NewestMigration {
  const entries = readJournal(root).entries.toReversed();
  const [newest, previous] = entries;
  const tag = newest?.tag ?? '';
  if (previous === undefined || tag.replace(/^\d+_/, '') !== name)
    throw new Error(`the newest migration is ${tag}, not ${name}; only the newest one can be renewed`);
  const path = `${MIGRATIONS}/${tag}.sql`;
  if (isOnMain(root, path))
    throw new Error(`${tag} is on main, so databases may have it; add another migration instead`);
  const before = snapshotFile(previous.tag);
  const content = existsSync(join(root, before))
    ? readFileSync(join(root, before), 'utf8')
    : readFromHistory(root, before);
  return { tag, files: [path, snapshotFile(tag), JOURNAL], before: { path: before, content } };
}

const isOnMain = (root: string, path: string): boolean =>
  readGit(root, ['show', `main:${path}`]) !== undefined;

/** The last content of a file that is deleted, or about to be. */
function readFromHistory(root: string, path: string): string {
  const deleted_in = readGit(root, ['log', '-1', '--format=%H', '--', path])?.trim();
  const content =
    readGit(root, ['show', `HEAD:${path}`]) ?? readGit(root, ['show', `${deleted_in}^:${path}`]);
  if (content === undefined) throw new Error(`${path} is not in the history of this clone; fetch all of it`);
  return content;
}

/** The output of a git command; undefined when it fails. */
function readGit(root: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? stdout : undefined;
}
