import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { urlOfTestDatabase } from '../../../testing/test-server.ts';
import { describeOnPostgres } from './databases.ts';
import { cloneTemplate } from './template-database.ts';

vi.setConfig({ testTimeout: 60_000 });

const unique = () => randomBytes(6).toString('hex');

async function onDatabase<T>(name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: urlOfTestDatabase(name) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describeOnPostgres('a template of databases for tests', () => {
  let client: Client;
  const made: string[] = [];
  beforeAll(async () => {
    client = new Client({ connectionString: urlOfTestDatabase('postgres') });
    await client.connect();
  });
  afterAll(async () => {
    for (const name of made) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  });
  const newName = () => {
    const name = `millrace_test_${unique()}`;
    made.push(name);
    return name;
  };
  const newHash = () => {
    const hash = `test_${unique()}`;
    made.push(`millrace_template_${hash}`);
    return hash;
  };
  const exists = async (name: string) =>
    (await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rows.length > 0;
  const fill = vi.fn(async (name: string) => {
    await onDatabase(name, (each) =>
      each.query('CREATE TABLE filled (a int); INSERT INTO filled VALUES (1)'),
    );
  });

  test('is made once for those that need it at the same time, and each gets a copy of its own', async () => {
    const hash = newHash();
    const names = [newName(), newName(), newName()];
    fill.mockClear();
    await Promise.all(
      names.map((name) => onDatabase('postgres', (each) => cloneTemplate(each, { name, hash, fill }))),
    );
    expect(fill).toHaveBeenCalledTimes(1);
    const [first = '', second = ''] = names;
    await onDatabase(first, (each) => each.query('INSERT INTO filled VALUES (2)'));
    const { rows } = await onDatabase(second, (each) => each.query<{ a: number }>('SELECT a FROM filled'));
    expect(rows).toEqual([{ a: 1 }]);
  });

  test('that was not completed is made again', async () => {
    const hash = newHash();
    const failing = () => Promise.reject(new Error('killed'));
    await expect(cloneTemplate(client, { name: newName(), hash, fill: failing })).rejects.toThrow('killed');
    const name = newName();
    await cloneTemplate(client, { name, hash, fill });
    const { rows } = await onDatabase(name, (each) => each.query<{ a: number }>('SELECT a FROM filled'));
    expect(rows).toEqual([{ a: 1 }]);
  });

  test('is dropped a day later when another one is made, and not before', async () => {
    const [old, recent] = [newHash(), newHash()];
    for (const hash of [old, recent]) await cloneTemplate(client, { name: newName(), hash, fill });
    await client.query(`COMMENT ON DATABASE millrace_template_${old} IS '${Date.now() - 25 * 3_600_000}'`);
    await cloneTemplate(client, { name: newName(), hash: newHash(), fill });
    expect([await exists(`millrace_template_${old}`), await exists(`millrace_template_${recent}`)]).toEqual([
      false,
      true,
    ]);
  });
});
