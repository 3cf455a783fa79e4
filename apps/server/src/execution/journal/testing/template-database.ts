import type { Client } from 'pg';

const PREFIX = 'millrace_template_';
/** Any constant: shared by those that clone a template, alone for those that make or drop one. */
const LOCK = 460_022_115;
/** Other working copies on the same server have templates of their own, so one is dropped only when it is old. */
const KEPT_MS = 24 * 3_600_000;
const NO_SUCH_DATABASE = '3D000';

export interface Clone {
  /** Of the new database. */
  readonly name: string;
  /** Of everything that makes the template, so that a change makes another one. */
  readonly hash: string;
  /** Makes the tables of the template in an empty database. */
  fill(name: string): Promise<void>;
}

/** A new database with what its template has. The template is made by the first one that needs it. */
export async function cloneTemplate(client: Client, { name, hash, fill }: Clone): Promise<void> {
  const template = `${PREFIX}${hash}`;
  while (!(await tryToClone(client, name, template))) await makeTemplate(client, template, fill);
}

async function tryToClone(client: Client, name: string, template: string): Promise<boolean> {
  return withLock(client, 'pg_advisory_lock_shared', 'pg_advisory_unlock_shared', async () => {
    try {
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === NO_SUCH_DATABASE) return false;
      throw error;
    }
  });
}

async function makeTemplate(client: Client, template: string, fill: Clone['fill']): Promise<void> {
  await withLock(client, 'pg_advisory_lock', 'pg_advisory_unlock', async () => {
    const { rows } = await client.query<{ name: string; made_at_ms: string | null }>(
      `SELECT datname AS name, shobj_description(oid, 'pg_database') AS made_at_ms FROM pg_database
        WHERE starts_with(datname, $1)`,
      [PREFIX],
    );
    if (rows.some((each) => each.name === template)) return;
    for (const { name, made_at_ms } of rows)
      if (Number(made_at_ms ?? 0) < Date.now() - KEPT_MS)
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    // It gets its name when it is complete: a process that is killed in between leaves no half of a template.
    const draft = `${template}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${draft}`);
    await fill(draft);
    await client.query(`COMMENT ON DATABASE ${draft} IS '${Date.now()}'`);
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  });
}

async function withLock<T>(client: Client, lock: string, unlock: string, work: () => Promise<T>): Promise<T> {
  await client.query(`SELECT ${lock}($1)`, [LOCK]);
  try {
    return await work();
  } finally {
    await client.query(`SELECT ${unlock}($1)`, [LOCK]);
  }
}
