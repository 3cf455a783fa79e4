import { openPglite } from '../../apps/server/src/adapters/pglite/open.ts';
import {
  CONSOLIDATED_FILE,
  formatConsolidated,
  hashText,
  migrationsWithin,
  readConsolidated,
} from '../../apps/server/src/database/migrator/consolidated-schema.ts';
import { migrate } from '../../apps/server/src/database/migrator/migrate.ts';
import { readMigrations } from '../../apps/server/src/database/migrator/migration-files.ts';
import type { SqlClient } from '../../apps/server/src/database/sql-client.ts';

export const CONSOLIDATED_PATH = `apps/server/src/database/migrations/${CONSOLIDATED_FILE}`;

/** Whether the generated schema stands for all migrations of today and is as it was generated. Takes no database. */
export function isConsolidatedFresh(): boolean {
  const migrations = readMigrations();
  const schema = readConsolidated();
  return (
    schema !== undefined &&
    schema.migrations === migrations.length &&
    migrationsWithin(schema, migrations) !== undefined &&
    hashText(schema.statements) === schema.content
  );
}

/** The text of the file, read from the catalog of a database that all migrations and the triggers have made. */
export async function consolidateSchema(): Promise<string> {
  const migrations = readMigrations();
  const database = await openPglite({});
  try {
    const log = { info: () => undefined, warn: () => undefined };
    await migrate(database.sql, { log, migrations, replay: true });
    return formatConsolidated(migrations, await describeSchema(database.sql));
  } finally {
    await database.close();
  }
}

const PUBLIC = "'public'::regnamespace";
/** `expression ('name')` of everything that a statement below does not describe. */
const UNKNOWN = `
SELECT 'the relation ' || relname AS what FROM pg_class
  WHERE relnamespace = ${PUBLIC} AND relkind NOT IN ('r', 'i')
UNION ALL SELECT 'the type ' || typname FROM pg_type t
  WHERE typnamespace = ${PUBLIC} AND typtype <> 'c' AND typcategory <> 'A'
UNION ALL SELECT 'the column ' || attrelid::regclass || '.' || attname FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
  WHERE relnamespace = ${PUBLIC} AND attnum > 0 AND (attidentity <> '' OR attgenerated <> '')
UNION ALL SELECT 'the extension ' || extname FROM pg_extension WHERE extname <> 'plpgsql'`;

const TABLES = `
SELECT format(E'CREATE %sTABLE %I (\\n%s\\n)%s;', CASE relpersistence WHEN 'u' THEN 'UNLOGGED ' END, relname,
  concat_ws(E',\\n', columns, constraints), ' WITH (' || array_to_string(reloptions, ', ') || ')') AS text
FROM pg_class c
CROSS JOIN LATERAL (
  SELECT string_agg(format('  %I %s%s%s', attname, format_type(atttypid, atttypmod),
    ' DEFAULT ' || pg_get_expr(adbin, adrelid), CASE WHEN attnotnull THEN ' NOT NULL' END), E',\\n' ORDER BY attnum) AS columns
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) a
CROSS JOIN LATERAL (
  SELECT string_agg(format('  CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)), E',\\n' ORDER BY oid) AS constraints
  FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'c', 'x')) k
WHERE relnamespace = ${PUBLIC} AND relkind = 'r' ORDER BY relname`;

const INDEXES = `
SELECT pg_get_indexdef(indexrelid) || ';' AS text FROM pg_index JOIN pg_class c ON c.oid = indrelid
WHERE relnamespace = ${PUBLIC} AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype <> 'f')
ORDER BY relname, indexrelid`;

const FOREIGN_KEYS = `
SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s;', relname, conname, pg_get_constraintdef(o.oid)) AS text
FROM pg_constraint o JOIN pg_class c ON c.oid = conrelid
WHERE connamespace = ${PUBLIC} AND contype = 'f' ORDER BY relname, o.oid`;

const FUNCTIONS = `
SELECT pg_get_functiondef(oid) || ';' AS text FROM pg_proc WHERE pronamespace = ${PUBLIC} ORDER BY proname, oid`;

const TRIGGERS = `
SELECT pg_get_triggerdef(t.oid) || ';' AS text FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
WHERE relnamespace = ${PUBLIC} AND NOT tgisinternal ORDER BY relname, tgname`;

const COMMENTS = `
SELECT format('COMMENT ON TABLE %I IS %L;', relname, description) AS text
FROM pg_description JOIN pg_class c ON c.oid = objoid AND classoid = 'pg_class'::regclass AND objsubid = 0
WHERE relnamespace = ${PUBLIC} AND relkind = 'r' ORDER BY relname`;

async function describeSchema(sql: SqlClient): Promise<string> {
  const { rows: unknown } = await sql.query<{ what: string }>({ text: UNKNOWN });
  if (unknown.length > 0)
    throw new Error(`tools/generate/consolidated-schema.ts cannot describe ${unknown[0]?.what} yet`);
  const sections = [TABLES, INDEXES, FOREIGN_KEYS, FUNCTIONS, TRIGGERS, COMMENTS];
  const parts: string[] = [];
  for (const text of sections)
    parts.push((await sql.query<{ text: string }>({ text })).rows.map((row) => row.text).join('\n'));
  parts.push(await describeRows(sql));
  return `\n${parts.join('\n\n')}\n`;
}

/** Rows that the migrations or the triggers put into tables. */
async function describeRows(sql: SqlClient): Promise<string> {
  const { rows: tables } = await sql.query<{ name: string; columns: string[] }>({
    text: `SELECT quote_ident(relname) AS name, array_agg(quote_ident(attname) ORDER BY attnum) AS columns
      FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
      WHERE relnamespace = ${PUBLIC} AND relkind = 'r' GROUP BY c.oid, relname ORDER BY relname`,
  });
  const inserts: string[] = [];
  for (const { name, columns } of tables) {
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(', ');
    const { rows } = await sql.query<{ text: string }>({
      text: `SELECT concat_ws(', ', ${values}) AS text FROM ${name} ORDER BY 1`,
    });
    for (const { text } of rows)
      inserts.push(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${text});`);
  }
  return inserts.join('\n');
}
