import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../testing/test-database.ts';
import { installTriggers, triggerRevision } from './install-triggers.ts';

// Making a database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

test('statements that change have a new revision; else processes would keep the former ones', () => {
  const text = createHash('sha256').update(triggerRevision.statements.join('\n')).digest('hex').slice(0, 16);
  const advice = `install-triggers.ts: raise REVISION and set TEXT_OF_REVISION to '${text}'`;
  expect(text, advice).toBe(triggerRevision.text);
});

test('a process leaves the triggers of a later revision alone', async () => {
  const database = await openTestDatabase();
  const comment = (text: string) => database.sql.query({ text: `COMMENT ON TABLE runs IS '${text}'` });
  const triggers = async () => {
    const { rows } = await database.sql.query({
      text: `SELECT 1 FROM pg_trigger WHERE tgname LIKE 'cascade_%'`,
    });
    return rows.length;
  };
  const drop = () => database.sql.query({ text: 'DROP TRIGGER cascade_runs_to_steps ON runs' });
  const all = await triggers();
  await comment(`schema revision ${triggerRevision.number + 1}`);
  await drop();
  await installTriggers(database.sql);
  expect(await triggers()).toBe(all - 1);
  await comment(`schema revision ${triggerRevision.number - 1}`);
  await installTriggers(database.sql);
  expect(await triggers()).toBe(all);
  await database.close();
});
