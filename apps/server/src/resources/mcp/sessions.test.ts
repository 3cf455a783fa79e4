import { expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { useTestApp } from '../../testing/index.ts';
import { insertSession, listSessions } from './sessions.ts';

const app = await useTestApp();
const owner = await app.user();
const { db } = app.services.database;
const now = () => app.clock.now;

const session = (server_id: string | null, opened_ms: number) => ({
  id: newId(),
  user_id: owner.id,
  server_id,
  created_at: new Date(opened_ms),
  expires_at: new Date(now() + 60_000),
});

test('a stream to a server that was deleted since its key was checked is refused', async () => {
  await expect(insertSession(db, session(newId(), now()), new Date(now()))).rejects.toMatchObject({
    code: 'unauthenticated',
  });
});

test('the newest 200 sessions are listed', async () => {
  const opened = Array.from({ length: 201 }, (_, at) => session(null, now() + at));
  for (const one of opened) await insertSession(db, one, new Date(now()));
  const actor = { user_id: owner.id, email: owner.email, name: 'Owner', is_admin: false };
  const listed = await listSessions({ db, now, actor }, async () => true);
  expect(listed.map(({ id }) => id)).toEqual(
    opened
      .slice(1)
      .reverse()
      .map(({ id }) => id),
  );
});
