import type { SqlClient } from '../sql-client.ts';

/** Complete rows of the catalog, with object ids replaced by names, so that any difference shows. */
const PARTS: Readonly<Record<string, string>> = {
  relations: `SELECT nspname, relname, relkind, relpersistence, reloptions, relhastriggers, relrowsecurity, relacl, relreplident
    FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname IN ('public', 'drizzle')`,
  columns: `SELECT attrelid::regclass::text, place, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
      attgenerated, attstorage, attcompression, attstattarget, attcollation::regcollation::text,
      pg_get_expr(adbin, adrelid) AS fallback
    FROM (SELECT *, row_number() OVER (PARTITION BY attrelid ORDER BY attnum) AS place FROM pg_attribute WHERE NOT attisdropped) a
    JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace::regnamespace::text IN ('public', 'drizzle') AND attnum > 0`,
  constraints: `SELECT conrelid::regclass::text, conname, contype, condeferrable, condeferred, convalidated, conislocal,
      pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE connamespace::regnamespace::text IN ('public', 'drizzle')`,
  indexes: `SELECT indexrelid::regclass::text, indisunique, indisprimary, indisvalid, indisready, indnullsnotdistinct,
      indisclustered, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace::regnamespace::text IN ('public', 'drizzle')`,
  triggers: `SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid) AS definition
    FROM pg_trigger WHERE NOT tgisinternal`,
  functions: `SELECT proname, provolatile, prosecdef, proleakproof, proacl, pg_get_functiondef(oid) AS definition
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  types: `SELECT typname, typtype FROM pg_type WHERE typnamespace::regnamespace::text IN ('public', 'drizzle')`,
  sequences: `SELECT seqrelid::regclass::text, seqstart, seqincrement, seqmin, seqmax, seqcycle FROM pg_sequence`,
  comments: `SELECT objoid::regclass::text, objsubid, description FROM pg_description
    WHERE classoid = 'pg_class'::regclass AND objoid IN (SELECT oid FROM pg_class
      WHERE relnamespace::regnamespace::text IN ('public', 'drizzle'))`,
  extensions: 'SELECT extname, extversion FROM pg_extension',
  migrations: 'SELECT id, hash, created_at FROM drizzle.__drizzle_migrations',
};

/** Lists the parts of a database, with the rows of its tables: one sorted list of lines for each part. */
export async function readCatalog(sql: SqlClient): Promise<Record<string, string[]>> {
  const parts: Record<string, string[]> = {};
  for (const [part, text] of Object.entries(PARTS)) parts[part] = await readLines(sql, text);
  const { rows } = await sql.query<{ name: string }>({
    text: "SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  });
  const filled: string[] = [];
  for (const { name } of rows)
    for (const line of await readLines(sql, `SELECT * FROM ${name}`)) filled.push(`${name} ${line}`);
  return { ...parts, rows: filled.sort() };
}

async function readLines(sql: SqlClient, text: string): Promise<string[]> {
  const { rows } = await sql.query<{ line: string }>({
    text: `SELECT to_jsonb(r)::text AS line FROM (${text}) r`,
  });
  return rows.map(({ line }) => line).sort();
}
