import { beforeEach, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import { useOwnTestApp } from '../../testing/test-app.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import { createWorkflow, ECHO, executeUrl } from './testing/workflows.ts';

const VERBS = new Set(['select', 'insert', 'update', 'delete', 'transaction', 'execute']);
const asked: string[] = [];

/** Asked of a server by a timer, whatever is called meanwhile. */
const TIMED = 'SELECT count FROM change_clock';

/** Writes down everything that calls ask of the database, except what the journal stores. */
function watched(database: Database): Database {
  return {
    ...database,
    sql: {
      ...database.sql,
      query(statement) {
        if (statement.text !== TIMED) asked.push(statement.text);
        return database.sql.query(statement);
      },
    },
    db: new Proxy(database.db, {
      get(target, key) {
        if (typeof key === 'string' && VERBS.has(key)) asked.push(key);
        const value: unknown = Reflect.get(target, key);
        return value;
      },
    }),
  };
}

const app = await useOwnTestApp({ database: watched(await openTestDatabase()) });
const owner = await app.user();
beforeEach(() => void asked.splice(0));

async function recordCalls(id: string, headers: Record<string, string>): Promise<string[]> {
  const call = () => app.call('POST', executeUrl(id), { text: 'hi' }, headers);
  expect((await call()).statusCode).toBe(200);
  asked.splice(0);
  for (let time = 0; time < 3; time++) expect((await call()).statusCode).toBe(200);
  return [...asked];
}

test('a known anonymous workflow is executed without a look at the database', async () => {
  const id = await createWorkflow(owner, ECHO);
  expect(await recordCalls(id, {})).toEqual([]);
});

test('so it is for a signed-in person', async () => {
  const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
  expect(await recordCalls(id, { authorization: `Bearer ${owner.access_token}` })).toEqual([]);
});

test('so it is for an execution token', async () => {
  const id = await createWorkflow(owner, ECHO, { auth_type: 'jwt' });
  const made = await owner.call('POST', `/api/workflows/${id}/execution-tokens`, { ttl_seconds: 600 });
  const { token } = made.json<{ token: string }>();
  expect(await recordCalls(id, { authorization: `Bearer ${token}` })).toEqual([]);
});

test('so it is by the authentication header, with a rate limit and with a cached answer', async () => {
  const id = await createWorkflow(owner, ECHO, {
    auth_type: 'header_auth',
    auth_header_key: 'X-Key',
    auth_header_value: 'sesame',
    cache_ttl_seconds: 60,
    rate_limit_requests: 100,
    rate_limit_window_seconds: 60,
  });
  expect(await recordCalls(id, { 'x-key': 'sesame' })).toEqual([]);
});

test('calls of workflows do not pass through the parser of forms, whose hooks run for each request of its scope', () => {
  expect(app.app.hasContentTypeParser('multipart/form-data')).toBe(false);
});
