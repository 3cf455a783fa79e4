import { createHash } from 'node:crypto';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';
import type { FilterValue, MetadataFilter, VectorIndex } from '../../ports/vector-index.ts';

interface PostgresCollection {
  readonly sql: SqlClient;
  readonly collection: string;
  readonly dimensions: number;
}

/** Tables are made for collections as they come, so they stand apart from those of the migrations. */
const SCHEMA = 'vector_collections';
const POINTS_PER_STATEMENT = 100;
/** Longest vector that an HNSW index takes (https://github.com/pgvector/pgvector#hnsw). */
const INDEXED_DIMENSIONS = 2_000;
/** The most results that an HNSW index returns with its default settings. */
const INDEXED_RESULTS = 40;
const UNDEFINED_TABLE = '42P01';
const NO_EXTENSION = new Set(['0A000', '42501', '58P01', '22023']);
/** Another process creates the same thing: "if not exists" is not safe from that (PostgreSQL, CREATE TABLE). */
const MADE_MEANWHILE = new Set(['23505', '42P07', '42710', '42P06']);

/** A collection in a PostgreSQL database with the extension pgvector. */
export function createPostgresIndex({ sql, collection, dimensions }: PostgresCollection): VectorIndex {
  const digest = createHash('sha256').update(collection).digest('hex').slice(0, 32);
  const table = `${SCHEMA}.c_${digest}`;
  const orMissing = <T>(missing: T, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (getErrorCode(error) === UNDEFINED_TABLE) return missing;
      throw error;
    });
  const place = { sql, collection, dimensions };
  return {
    is_private: true,
    prepare: () => inWords(place, prepare(place, table)),
    put: (points) => inWords(place, put({ sql, table }, points)),
    search: (vector, { limit, filter }) =>
      inWords(
        place,
        orMissing(
          [],
          sql
            .query<{ id: string; text: string; metadata: JsonObject; score: number }>({
              text: searchText(table, { filter, limit }),
              values: [JSON.stringify(vector), limit, ...buildConditions(filter)],
            })
            .then(({ rows }) => rows),
        ),
      ),
    count: (filter) =>
      orMissing(
        0,
        sql
          .query<{ count: string | number }>({
            text: `select count(*) as count from ${table} ${buildWhere(filter, 1)}`,
            values: buildConditions(filter),
          })
          .then(({ rows }) => Number(rows[0]?.count ?? 0)),
      ),
    list: ({ limit, after, with_vectors = false }) =>
      orMissing({ points: [], next: null }, list({ sql, table }, { limit, after, with_vectors })),
    removeIds: (ids) =>
      orMissing(
        undefined,
        sql
          .query({ text: `delete from ${table} where id = any($1::uuid[])`, values: [ids] })
          .then(() => undefined),
      ),
    removeWhere(filter, except_ids = []) {
      const values = buildConditions(filter);
      const where = buildWhere(filter, 1);
      const others = `${where === '' ? 'where' : 'and'} id <> all($${values.length + 1}::uuid[])`;
      const text = `delete from ${table} ${where} ${others}`;
      return orMissing(
        undefined,
        sql.query({ text, values: [...values, except_ids] }).then(() => undefined),
      );
    },
    async drop() {
      await sql.query({ text: `drop table if exists ${table}` });
    },
  };
}

async function put(
  { sql, table }: { sql: SqlClient; table: string },
  points: Parameters<VectorIndex['put']>[0],
): Promise<void> {
  for (let start = 0; start < points.length; start += POINTS_PER_STATEMENT) {
    const batch = points.slice(start, start + POINTS_PER_STATEMENT);
    await sql.query({
      text: `insert into ${table} (id, content, metadata, embedding)
        select id, content, metadata::jsonb, embedding::vector
        from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as t (id, content, metadata, embedding)
        on conflict (id) do update
        set content = excluded.content, metadata = excluded.metadata, embedding = excluded.embedding`,
      values: [
        batch.map(({ id }) => id),
        batch.map(({ text }) => text),
        batch.map(({ metadata }) => JSON.stringify(metadata)),
        batch.map(({ vector }) => JSON.stringify(vector)),
      ],
    });
  }
}

/** Words for a refusal of the database, by its code (PostgreSQL, appendix A); undefined for other faults. */
function describeRefusal(code: string, { collection, dimensions }: PostgresCollection): string | undefined {
  switch (code) {
    case '22000':
      return `The collection "${collection}" holds vectors of another length; the model returns ${dimensions} numbers`;
    case '22021':
    case '22P05':
      return 'A text or its metadata holds a NUL character, which the database cannot store';
    case '22023':
      return `Vectors of ${dimensions} numbers are too long for the database; set fewer dimensions in the credential`;
    default:
      return undefined;
  }
}

async function inWords<T>(place: PostgresCollection, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const message = describeRefusal(getErrorCode(error), place);
    if (message === undefined) throw error;
    throw new NodeFailure({ kind: 'params', message, final: true }, { cause: error });
  }
}

/** One look when everything is there: every write of a run comes by here. */
async function prepare(place: PostgresCollection, table: string): Promise<void> {
  if (await isComplete(place, table)) return;
  await create(place, table).catch((error: unknown) => {
    if (!MADE_MEANWHILE.has(getErrorCode(error))) throw error;
    return create(place, table);
  });
  await isComplete(place, table);
}

/** Whether the table has everything that `create` makes, the last of it included. Fails for vectors of another length. */
async function isComplete(
  { sql, collection, dimensions }: PostgresCollection,
  table: string,
): Promise<boolean> {
  const { rows } = await sql.query<{ size: number; is_complete: boolean }>({
    text: `select atttypmod as size, to_regclass($2::text) is not null as is_complete from pg_attribute
      where attrelid = to_regclass($1::text) and attname = 'embedding'`,
    values: [table, `${table}_meta`],
  });
  const [found] = rows;
  if (!found) return false;
  if (found.size === dimensions) return found.is_complete;
  throw new NodeFailure({
    kind: 'params',
    message: `The collection "${collection}" holds vectors of ${found.size} numbers; the model returns ${dimensions}`,
    final: true,
  });
}

async function create({ sql, dimensions }: PostgresCollection, table: string): Promise<void> {
  await sql.query({ text: 'create extension if not exists vector' }).catch((error: unknown) => {
    if (!NO_EXTENSION.has(getErrorCode(error))) throw error;
    throw new NodeFailure(
      {
        kind: 'upstream',
        message:
          'The database lacks the extension "vector" (pgvector); have it installed, or choose a credential of a Qdrant store',
        final: true,
      },
      { cause: error },
    );
  });
  await sql.query({ text: `create schema if not exists ${SCHEMA}` });
  await sql.query({
    text: `create table if not exists ${table} (
      id uuid primary key, content text not null, metadata jsonb not null, embedding vector(${dimensions}) not null)`,
  });
  const name = table.split('.')[1];
  if (dimensions <= INDEXED_DIMENSIONS) {
    await sql.query({
      text: `create index if not exists ${name}_near on ${table} using hnsw (embedding vector_cosine_ops)`,
    });
  }
  await sql.query({
    text: `create index if not exists ${name}_meta on ${table} using gin (metadata jsonb_path_ops)`,
  });
}

/**
 * With a filter, or for more results than the index returns, the distances of all points that pass are computed: the index
 * would pass over matches that are not among its nearest.
 */
function searchText(table: string, { filter, limit }: { filter: MetadataFilter; limit: number }): string {
  const isExact = limit > INDEXED_RESULTS || Object.keys(filter).length > 0;
  const source = isExact
    ? `(with passing as materialized (select * from ${table} ${buildWhere(filter, 3)}) select * from passing) as points`
    : `${table} as points`;
  return `select id, content as text, metadata, 1 - (embedding <=> $1::vector) as score
    from ${source} order by embedding <=> $1::vector limit $2`;
}

async function list(
  { sql, table }: { sql: SqlClient; table: string },
  { limit, after, with_vectors }: { limit: number; after: string | null; with_vectors: boolean },
) {
  const { rows } = await sql.query<{ id: string; text: string; metadata: JsonObject; vector?: string }>({
    text: `select id, content as text, metadata ${with_vectors ? ', embedding::text as vector' : ''}
      from ${table} where $1::uuid is null or id > $1::uuid order by id limit $2`,
    values: [after, limit],
  });
  const points = rows.map(({ vector, ...row }) => ({
    ...row,
    ...(vector === undefined ? {} : { vector: JSON.parse(vector) as number[] }),
  }));
  return { points, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}

/** One parameter for each key: the containments of which one must hold. */
const buildConditions = (filter: MetadataFilter): string[][] =>
  Object.entries(filter).map(([key, value]) => {
    const values = Array.isArray(value) ? (value as readonly FilterValue[]) : [value as FilterValue];
    return values.flatMap((one) => [JSON.stringify({ [key]: one }), JSON.stringify({ [key]: [one] })]);
  });

/** @param first number of the first parameter */
function buildWhere(filter: MetadataFilter, first: number): string {
  const conditions = Object.keys(filter).map((_, index) => `metadata @> any($${first + index}::jsonb[])`);
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}

function getErrorCode(error: unknown): string {
  const code: unknown = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
