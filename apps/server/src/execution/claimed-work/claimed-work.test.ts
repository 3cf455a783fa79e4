import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { Database } from '../../database/database.ts';
import type { Statement } from '../../database/sql-client.ts';
import { describeOnBoth, silent } from '../journal/testing/databases.ts';
import { type ClaimedWork, startClaimedWork, workOnDue } from './claimed-work.ts';
import { type Claim, claimNext, findDue, postpone } from './claims.ts';

const describeTable = (name: string) => ({ name, due_at: 'look_at', is_open: 'NOT is_over' });
const THINGS = describeTable('things');
const OTHERS = describeTable('others');

/** A promise, and what resolves it. */
function createGate(): { opened: Promise<unknown>; open: () => void } {
  const gate = new AbortController();
  return { opened: once(gate.signal, 'abort'), open: () => gate.abort() };
}

describeOnBoth('work that is claimed', (kind) => {
  let database: Database;
  const run = async <Row>(text: string) => (await database.sql.query<Row>({ text })).rows;
  const makeDue = () => run(`UPDATE things SET look_at = now() - interval '1 second'`);
  const services = () => ({ database, log: silent, config: { DRAIN_SECONDS: 0 } });
  type Work = ClaimedWork<ReturnType<typeof services>>;
  const things = (more: Partial<Work>): Work => ({
    name: 'a thing',
    table: THINGS,
    most_at_once: 2,
    work: () => Promise.resolve(60),
    ...more,
  });
  const pass = (work: Work) => workOnDue(services(), work, { stopping: new AbortController().signal });

  beforeAll(async () => {
    database = await kind.open();
    for (const name of ['things', 'others'])
      await run(`CREATE TABLE ${name} (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), claim_id uuid,
        look_at timestamptz NOT NULL DEFAULT now(), is_over boolean NOT NULL DEFAULT false,
        failures integer NOT NULL DEFAULT 0)`);
  });
  afterAll(() => database.close());
  beforeEach(() => run('INSERT INTO things DEFAULT VALUES'));
  afterEach(async () => {
    vi.useRealTimers();
    await run('DELETE FROM things');
  });

  test('is of one process at a time, and one that lost its row changes nothing more', async () => {
    const { sql } = database;
    const slow = (await claimNext(sql, THINGS)) as Claim;
    expect(await claimNext(sql, THINGS)).toBeUndefined();
    await makeDue();
    const next = (await claimNext(sql, THINGS)) as Claim;
    expect(next.id).toBe(slow.id);
    expect(await postpone(sql, THINGS, slow, { seconds: -1 })).toBeUndefined();
    expect(await claimNext(sql, THINGS)).toBeUndefined();
    expect(await postpone(sql, THINGS, next, { seconds: -1 })).toBeDefined();
    await run('UPDATE things SET is_over = true');
    expect(await postpone(sql, THINGS, next, { seconds: -1 })).toBeUndefined();
    expect(await claimNext(sql, THINGS)).toBeUndefined();
  });

  test('is found by kind, once it is due', async () => {
    const kinds = [{ table: OTHERS }, { table: THINGS }];
    expect(await findDue(database.sql, kinds)).toEqual([{ table: THINGS }]);
    await claimNext(database.sql, THINGS);
    expect(await findDue(database.sql, kinds)).toEqual([]);
  });

  test('is given up after three failures in a row, among which a database that is away does not count', async () => {
    const failures: Error[] = [
      new TypeError('a bug'),
      noteConnectionError(new Error('Connection terminated unexpectedly')),
      new TypeError('a bug'),
    ];
    const giveUp = vi.fn(() => Promise.resolve());
    const work = vi.fn(() => Promise.reject(failures.shift() ?? new TypeError('a bug')));
    const failing = things({ work, giveUp });
    for (const counted of [1, 1, 2]) {
      await pass(failing);
      expect(await run('SELECT failures FROM things WHERE look_at > now()')).toEqual([{ failures: counted }]);
      expect(giveUp).not.toHaveBeenCalled();
      await makeDue();
    }
    await pass(failing);
    expect(work).toHaveBeenCalledTimes(4);
    expect(giveUp).toHaveBeenCalledTimes(1);
    await makeDue();
    await pass({ ...failing, work: () => Promise.resolve(60) });
    expect(await run('SELECT failures FROM things')).toEqual([{ failures: 0 }]);
  });

  test('ends when the claim is lost, which is looked at every two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let is_ended = false;
    await pass(
      things({
        work: async (_services, { ended }) => {
          await run(`UPDATE things SET claim_id = gen_random_uuid()`);
          const end = once(ended, 'abort');
          vi.advanceTimersByTime(2_000);
          await end;
          is_ended = true;
          return 0;
        },
      }),
    );
    expect(is_ended).toBe(true);
    expect(await run('SELECT 1 FROM things WHERE look_at <= now()')).toEqual([]);
  });

  test('continues when looking for more of it fails', async () => {
    await run('INSERT INTO things DEFAULT VALUES');
    const second = createGate();
    let looks = 0;
    const query: Database['sql']['query'] = (statement: Statement) =>
      statement.name === 'claim_things' && (looks += 1) === 2
        ? Promise.reject(new Error('the database has too much to do'))
        : database.sql.query(statement);
    const watched = { ...services(), database: { ...database, sql: { ...database.sql, query } } };
    let begun = 0;
    const work: Work['work'] = async () => {
      if ((begun += 1) === 2) second.open();
      // The first row is under way until the second has begun.
      await second.opened;
      return 60;
    };
    await workOnDue(watched, things({ work }), { stopping: new AbortController().signal });
    expect(begun).toBe(2);
  });

  test('that hangs is free for another process after its time', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const renewed: unknown[] = [];
    await pass(
      things({
        most_seconds: 0.05,
        work: async (_services, { ended }) => {
          await once(ended, 'abort');
          await makeDue();
          vi.advanceTimersByTime(10_000);
          renewed.push(...(await run('SELECT 1 FROM pg_sleep(0.05), things WHERE look_at > now()')));
          return 60;
        },
      }),
    );
    expect(renewed).toEqual([]);
  });

  test('is begun again when it is due, not at the next look', async () => {
    let [begun, looks] = [0, 0];
    const sixth = createGate();
    const query: Database['sql']['query'] = (statement: Statement) => {
      if (statement.name === 'due_things') looks += 1;
      return database.sql.query(statement);
    };
    const watched = { ...services(), database: { ...database, sql: { ...database.sql, query } } };
    const work: Work['work'] = () => {
      if ((begun += 1) === 6) sixth.open();
      return Promise.resolve(0.05);
    };
    const stop = startClaimedWork(watched, [things({ work })]);
    await sixth.opened;
    await stop();
    // Found by looks alone, each beginning would take one.
    expect(looks).toBeLessThan(6);
  });

  test('is looked for by one statement for all kinds while nothing is due', async () => {
    await claimNext(database.sql, THINGS);
    const seen: string[] = [];
    const looks = createGate();
    const query: Database['sql']['query'] = (statement: Statement) => {
      if (seen.push(statement.text) === 3) looks.open();
      return database.sql.query(statement);
    };
    const watched = { ...services(), database: { ...database, sql: { ...database.sql, query } } };
    const stop = startClaimedWork(watched, [things({}), things({ table: OTHERS })]);
    await looks.opened;
    await stop();
    expect(new Set(seen).size).toBe(1);
  });

  test('is begun by itself, and finished before the process has stopped', async () => {
    const [begun, end] = [createGate(), createGate()];
    const done: string[] = [];
    const work: Work['work'] = async (_services, { stopping }) => {
      begun.open();
      await end.opened;
      done.push(`stopping: ${stopping.aborted}`);
      return 60;
    };
    const stop = startClaimedWork(services(), [things({ work })]);
    await begun.opened;
    const stopped = stop().then(() => done.push('stopped'));
    end.open();
    await stopped;
    expect(done).toEqual(['stopping: true', 'stopped']);
  });
});
