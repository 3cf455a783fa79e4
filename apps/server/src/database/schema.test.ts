import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, test, vi } from 'vitest';
import { openTestDatabase } from '../testing/test-database.ts';
import * as schema from './schema/index.ts';

// Making a database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

const COLUMNS = `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`;

const spelled = (type: string) =>
  type.replace(/^timestamp \((\d)\) with time zone$/, 'timestamp($1) with time zone');

test('a database that was migrated has the columns and indexes that the program knows', async () => {
  const database = await openTestDatabase();
  const configs = Object.values(schema).flatMap((each) => (is(each, PgTable) ? [getTableConfig(each)] : []));
  const wanted = configs.flatMap(({ name: table, columns }) =>
    columns.map(
      (column): Column => ({
        table,
        name: column.name,
        type: spelled(column.getSQLType()),
        required: column.notNull || column.primary,
      }),
    ),
  );
  const keyed = new Set(
    configs.flatMap(({ name, primaryKeys }) =>
      primaryKeys.flatMap((key) => key.columns.map((column) => `${name}.${column.name}`)),
    ),
  );
  const byName = (columns: readonly Column[]) =>
    Object.fromEntries(
      columns
        .map(({ table, name, type, required }) => [
          `${table}.${name}`,
          `${type}${required ? ' required' : ''}`,
        ])
        .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    );
  const { rows } = await database.sql.query<Column>({ text: COLUMNS });
  expect(byName(rows)).toEqual(
    byName(
      wanted.map((column) =>
        keyed.has(`${column.table}.${column.name}`) ? { ...column, required: true } : column,
      ),
    ),
  );
  const { rows: found } = await database.sql.query<{ name: string }>({
    text: `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public'`,
  });
  const indexes = configs.flatMap((config) => config.indexes.map((index) => index.config.name ?? ''));
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(indexes));
  await database.close();
});
