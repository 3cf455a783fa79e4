import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeFileStore } from '../../ports/file-store.conformance.ts';
import { createDiskStore } from './disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeFileStore('disk', () => Promise.resolve(createDiskStore(folder)));

test('a failed upload leaves no draft behind', async () => {
  async function* failing() {
    yield Buffer.from('half');
    throw new Error('broken');
  }
  const key = 'ab/00000000-0000-4000-8000-0000000000ab';
  await expect(createDiskStore(folder).put(key, failing())).rejects.toThrow('broken');
  expect(readdirSync(join(folder, 'ab')).filter((name) => name.endsWith('.part'))).toEqual([]);
});
