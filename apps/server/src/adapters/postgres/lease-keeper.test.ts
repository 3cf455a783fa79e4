import { expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { keepLease } from './lease-keeper.ts';

test('a start that cannot reach the database for its lease ends with the reason', async () => {
  // Port 1 refuses connections everywhere.
  const terms = { url: 'postgres://postgres@127.0.0.1:1/x', worker_id: newId(), lease_ms: 2_000 };
  await expect(keepLease({ ...terms, start_ms: 300 })).rejects.toThrow(
    /The lease of this process could not be renewed: .*ECONNREFUSED/,
  );
});
