import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside the sources, beside the bundle, and one above where the bundle is in several files. */
const PLACES = ['../migrations', './database/migrations', '../database/migrations'];

export function migrationsFolder(): string {
  const folders = PLACES.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(folder));
  if (!found) throw new Error(`the migrations are in none of ${folders.join(', ')}`);
  return found;
}

export interface Migration {
  readonly name: string;
  /** Epoch milliseconds of its making, by which the database knows it. */
  readonly made_at_ms: number;
  readonly hash: string;
  readonly statements: readonly string[];
  /** Its statements run one by one outside of a transaction, so that they may be `CONCURRENTLY`; each can be repeated. */
  readonly is_online: boolean;
  /** It takes away what processes that do not know this migration still use. */
  readonly contract_of?: string;
}

const ONLINE = /^-- online\b/m;
const CONTRACT = /^-- contract of (\S+)/m;
const BREAKPOINT = '--> statement-breakpoint';

/** @param text of the file; its leading comments say how it is applied (docs/operations.md, Upgrades) */
export function parseMigration(name: string, made_at_ms: number, text: string): Migration {
  const contract_of = CONTRACT.exec(text)?.[1];
  return {
    name,
    made_at_ms,
    hash: createHash('sha256').update(text).digest('hex'),
    statements: text
      .split(BREAKPOINT)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ''),
    is_online: ONLINE.test(text),
    ...(contract_of === undefined ? {} : { contract_of }),
  };
}

interface Journal {
  readonly entries: readonly { readonly tag: string; readonly when: number }[];
}

/** The migrations of this program in their order. */
export function readMigrations(folder = migrationsFolder()): readonly Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as Journal;
  return journal.entries.map(({ tag, when }) =>
    parseMigration(tag, when, readFileSync(join(folder, `${tag}.sql`), 'utf8')),
  );
}
