import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A server on which tests may create databases of their own. */
const TEST_SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

const PREFIX = 'millrace_test_';

/** Connects to a server for some work. */
export async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const onTestServer = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
  onServer(TEST_SERVER, work);

export const isPostgresReachable = await onTestServer(() => Promise.resolve(true)).catch(() => false);

export function urlOfTestDatabase(name: string): string {
  const url = new URL(TEST_SERVER);
  url.pathname = `/${name}`;
  return url.href;
}

/** A new name; those of one run of the tests begin alike, so that they can be dropped together. */
export const nameTestDatabase = (): string =>
  `${PREFIX}${process.env['TEST_RUN'] ?? 'single'}_${randomBytes(6).toString('hex')}`;

/** Drops what is left of the databases of a run of the tests. */
export async function dropTestDatabases(run: string): Promise<void> {
  if (!isPostgresReachable) return;
  await onTestServer(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [`${PREFIX}${run}_`],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  });
}
