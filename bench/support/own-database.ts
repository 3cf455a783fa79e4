import { randomBytes } from 'node:crypto';
import { onServer } from '../../apps/server/src/testing/test-server.ts';

const SERVER =
  process.env['BENCH_DATABASE_URL'] ??
  process.env['TEST_DATABASE_URL'] ??
  'postgres://postgres@127.0.0.1:5432/postgres';

export interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A database of its own on the PostgreSQL server; undefined where there is none. */
export async function createOwnDatabase(): Promise<OwnDatabase | undefined> {
  const name = `millrace_bench_${randomBytes(6).toString('hex')}`;
  try {
    await onServer(SERVER, (client) => client.query(`CREATE DATABASE ${name}`));
  } catch {
    return undefined;
  }
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () =>
      onServer(SERVER, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)).then(() => undefined),
  };
}

/** The same for a benchmark that needs one: ends it, with the reason, where there is none. */
export async function requireOwnDatabase(): Promise<OwnDatabase> {
  const own = await createOwnDatabase();
  if (own) return own;
  console.log('no PostgreSQL server found; this benchmark needs one');
  process.exit(0);
}
