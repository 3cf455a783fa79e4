import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { changedTables, expandProblem, migrationProblems } from './schema.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the migrations make the schema', () => {
  expect(migrationProblems(root)).toEqual([]);
});

test('a column without a migration is found', () => {
  const folder = `${root}/apps/server/src/database/migrations/meta`;
  const journal = JSON.parse(readFileSync(`${folder}/_journal.json`, 'utf8'));
  const number = journal.entries.at(-1).tag.split('_')[0];
  const snapshot = JSON.parse(readFileSync(`${folder}/${number}_snapshot.json`, 'utf8'));
  delete snapshot.tables['public.blobs'].columns.size;
  expect(changedTables(snapshot)).toEqual(['public.blobs']);
});

describe('a migration beside which the version before cannot work', () => {
  test.each([
    'DROP TABLE "leaders";',
    'ALTER TABLE "runs" DROP COLUMN "options";',
    'ALTER TABLE "runs" RENAME COLUMN "a" TO "b";',
    'ALTER TABLE "runs" ALTER COLUMN "a" SET NOT NULL;',
    'ALTER TABLE "runs" ALTER COLUMN "a" SET DATA TYPE bigint;',
    'ALTER TABLE "runs" ADD COLUMN "a" text NOT NULL;',
  ])('is refused: %s', (statement) => {
    expect(expandProblem('0009_x', `SELECT 1;--> statement-breakpoint\n${statement}`).join('')).toContain(
      statement,
    );
    expect(expandProblem('0009_x', `-- contract of 0007_y\n${statement}`)).toEqual([]);
  });

  test.each([
    'ALTER TABLE "runs" ADD COLUMN "a" text;',
    `ALTER TABLE "runs" ADD COLUMN "a" text DEFAULT '[]' NOT NULL;`,
    'CREATE TABLE "a" ("b" text NOT NULL);',
    'DROP INDEX "runs_queue";',
  ])('is none: %s', (statement) => {
    expect(expandProblem('0009_x', statement)).toEqual([]);
  });
});
