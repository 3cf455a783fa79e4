import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as schema from '../../apps/server/src/database/schema/index.ts';

interface Snapshot {
  readonly id: string;
  readonly prevId: string;
  readonly tables: Readonly<Record<string, unknown>>;
}

export interface Journal {
  readonly entries: readonly { readonly tag: string }[];
}

export const MIGRATIONS = 'apps/server/src/database/migrations';

export const readJournal = (root: string): Journal =>
  JSON.parse(readFileSync(join(root, MIGRATIONS, 'meta/_journal.json'), 'utf8')) as Journal;

/** Path from the root of what the query builder knows of the schema behind a migration. */
export const snapshotFile = (tag: string): string => `${MIGRATIONS}/meta/${tag.split('_')[0]}_snapshot.json`;

/** Changes that take something from an older process, or from one that works beside this version, or trip it up. */
const TAKES_AWAY =
  /\bDROP (TABLE|COLUMN|TYPE|SCHEMA)\b|\bRENAME\b|\bSET NOT NULL\b|\bSET DATA TYPE\b|\bADD COLUMN (?!.*DEFAULT).*NOT NULL\b/i;
const SAYS_SO = /^-- (contract of \S+|safe: .+)/m;

/**
 * The problems of the migrations, as one text each: the schema was changed without them, or one of them breaks the rule
 * that neighbouring versions work side by side (docs/operations.md, Upgrades).
 */
export function migrationProblems(root: string): readonly string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { entries } = readJournal(root);
  const problems = entries.flatMap(({ tag }) => expandProblem(tag, read(`${MIGRATIONS}/${tag}.sql`)));
  const newest = entries.at(-1)?.tag ?? '';
  const changed = changedTables(JSON.parse(read(snapshotFile(newest))) as Snapshot);
  if (changed.length > 0)
    problems.push(`Run \`npm run generate:db\`; no migration has the changes of ${changed.join(', ')}`);
  return problems;
}

export function expandProblem(tag: string, text: string): readonly string[] {
  if (SAYS_SO.test(text)) return [];
  const statement = text
    .split('--> statement-breakpoint')
    .find((each) => TAKES_AWAY.test(each))
    ?.trim();
  if (statement === undefined) return [];
  return [
    `${tag}.sql: processes of the version before would fail after \`${statement.split('\n')[0]}\`. Expand first; begin the file with \`-- contract of <migration that replaced it>\` or \`-- safe: <reason>\` (docs/operations.md, Upgrades)`,
  ];
}

export function changedTables(stored: Snapshot): readonly string[] {
  // Its module for imports brings the TypeScript compiler with it, which has another version here.
  const { generateDrizzleJson } = createRequire(import.meta.url)(
    'drizzle-kit/api',
  ) as typeof import('drizzle-kit/api');
  // Through text, as the stored one went: what is undefined is absent there.
  const current = JSON.parse(JSON.stringify(generateDrizzleJson(schema, stored.prevId))) as Snapshot;
  const names = new Set([...Object.keys(stored.tables), ...Object.keys(current.tables)]);
  return [...names].filter((name) => !isDeepStrictEqual(stored.tables[name], current.tables[name]));
}
