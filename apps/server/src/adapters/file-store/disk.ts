import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type FileStore, requireStorageKey, StoredFileMissing } from '../../ports/file-store.ts';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Files below one folder. A file appears under its key only when all of it is on the disk. */
export function createDiskStore(folder: string): FileStore {
  const toPath = (key: string): string => {
    requireStorageKey(key);
    return join(folder, key);
  };

  return {
    async put(key, body) {
      const path = toPath(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomUUID()}.part`;
      try {
        await writeFile(draft, body, { flag: 'wx', mode: 0o600, flush: true });
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async get(key, range): Promise<Readable> {
      try {
        const file = await open(toPath(key), 'r');
        return file.createReadStream(range);
      } catch (error) {
        throw isMissing(error) ? new StoredFileMissing(key) : error;
      }
    },
    remove: async (key) => rm(toPath(key), { force: true }),
    close: () => Promise.resolve(),
  };
}
