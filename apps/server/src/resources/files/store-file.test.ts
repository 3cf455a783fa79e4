import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { Db } from '../../database/database.ts';
import { useTestApp } from '../../testing/index.ts';
import { storeFile } from './store-file.ts';

const app = await useTestApp();
const owner = await app.user();

async function* text(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('hello');
}

const store = (filename: string, also?: () => Promise<void>, db: Db = app.services.database.db) =>
  storeFile(
    { db, files: app.services.files, now: app.services.now },
    { owner_id: owner.id, filename, body: text(), max_bytes: 100 },
    also,
  );

/** A connection that is lost after the commit and before its acknowledgement. */
function losingAcknowledgements(db: Db): Db {
  const lost: Db['transaction'] = async (work, options) => {
    await db.transaction(work, options);
    throw noteConnectionError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  };
  return new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? lost : Reflect.get(target, name)),
  });
}

test('a lost acknowledgement does not cost the bytes of a file that was stored', async () => {
  const filename = `${randomUUID()}.txt`;
  await expect(store(filename, undefined, losingAcknowledgements(app.services.database.db))).rejects.toThrow(
    'ECONNRESET',
  );
  const { rows } = await app.services.database.sql.query<{ id: string }>({
    text: 'SELECT id FROM files WHERE filename = $1',
    values: [filename],
  });
  const content = await owner.call('GET', `/api/files/${rows[0]?.id}/download`);
  expect([content.statusCode, content.body]).toEqual([200, 'hello']);
});

test('bytes that cannot be removed do not hide why the file was refused', async () => {
  const removed = vi.spyOn(app.services.files, 'remove').mockRejectedValue(new Error('the disk is away'));
  const refused = store('x.txt', () => Promise.reject(new Error('no room')));
  await expect(refused).rejects.toThrow('no room');
  expect(removed).toHaveBeenCalledOnce();
  removed.mockRestore();
});
