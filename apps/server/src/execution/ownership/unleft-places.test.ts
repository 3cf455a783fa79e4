import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createMemoryBroadcast } from '../../adapters/memory/broadcast.ts';
import { newId } from '../../core/ids.ts';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { Database } from '../../database/database.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { describeOnBoth, silent } from '../journal/testing/databases.ts';
import { readPlaces } from '../store/queue/places.ts';
import { openDurability } from './open-durability.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const LIMITS = { limit: 1, most_counted: 0 };
const lostConnection = () =>
  noteConnectionError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));

describeOnBoth('places of a process that lives on', (kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
  });
  afterAll(() => database.close());

  /** A process whose connection fails as the test says. */
  async function startProcess(journal: TransactionalSql) {
    const { ownership } = openDurability({
      database: { ...database, journal },
      broadcast: createMemoryBroadcast(),
      log: silent,
      lease_ms: 60_000,
      sweep_ms: 50,
    });
    await ownership.start();
    return ownership;
  }

  async function addWorkflow(): Promise<string> {
    const [id, owner_id] = [newId(), newId()];
    await database.sql.query({
      text: `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'Ann', 'x')`,
      values: [owner_id, `${owner_id}@example.com`],
    });
    await database.sql.query({
      text: `INSERT INTO workflows (id, name, owner_id, version_id, concurrency_limit) VALUES ($1, 'w', $2, $1, 1)`,
      values: [id, owner_id],
    });
    return id;
  }

  const countTaken = async (id: string) => (await readPlaces(database.sql, id)).places_taken;

  test('are free once the database is back, though it was away for long when the run ended', async () => {
    const { journal } = database;
    let is_away = false;
    const ownership = await startProcess({
      query: (statement) => (is_away ? Promise.reject(lostConnection()) : journal.query(statement)),
      transaction: (work) => (is_away ? Promise.reject(lostConnection()) : journal.transaction(work)),
    });
    try {
      const workflow_id = await addWorkflow();
      const place = await ownership.takePlace({ workflow_id, place_key: '' }, LIMITS);
      if ('waiting' in place) throw new Error('there was no place');
      is_away = true;
      await place.leave();
      expect(await countTaken(workflow_id)).toBe(1);
      is_away = false;
      await vi.waitUntil(async () => (await countTaken(workflow_id)) === 0, { timeout: 5_000 });
    } finally {
      await ownership.stop();
    }
  });

  test('are given once when the answer of the database is lost', async () => {
    const { journal } = database;
    let is_lost = true;
    const ownership = await startProcess({
      query: (statement) => journal.query(statement),
      async transaction(work) {
        const result = await journal.transaction(work);
        if (!is_lost) return result;
        is_lost = false;
        throw lostConnection();
      },
    });
    try {
      const workflow_id = await addWorkflow();
      is_lost = true;
      const place = await ownership.takePlace({ workflow_id, place_key: '' }, LIMITS);
      expect(place).not.toHaveProperty('waiting');
      expect(await countTaken(workflow_id)).toBe(1);
      if (!('waiting' in place)) await place.leave();
      expect(await countTaken(workflow_id)).toBe(0);
    } finally {
      await ownership.stop();
    }
  });
});
