import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FileStore, StoredFileMissing, storageKey } from './file-store.ts';

async function* splitBytes(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const newKey = () => storageKey(randomUUID());

/** The rules that every file store must keep. */
export function describeFileStore(name: string, open: () => Promise<FileStore>): void {
  describe(`file store: ${name}`, () => {
    let store: FileStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    const read = async (key: string) => buffer(await store.get(key));

    test.each([
      ['nothing', 0],
      ['a few bytes', 17],
      ['more than one part', 17 * 1024 * 1024 + 1],
    ])('gives back what was put: %s', async (_, size) => {
      const key = newKey();
      const bytes = randomBytes(size);
      await store.put(key, splitBytes(bytes, 64 * 1024));
      expect((await read(key)).equals(bytes)).toBe(true);
    });

    test('gives a part of what was put', async () => {
      const key = newKey();
      await store.put(key, splitBytes(Buffer.from('0123456789'), 4));
      for (const [start, end, part] of [
        [0, 1, '01'],
        [3, 5, '345'],
        [8, 9, '89'],
      ] as const)
        expect((await buffer(await store.get(key, { start, end }))).toString()).toBe(part);
    });

    test('takes a stream', async () => {
      const key = newKey();
      await store.put(key, Readable.from([Buffer.from('one '), Buffer.from('two')]));
      expect((await read(key)).toString()).toBe('one two');
    });

    test.each([1, 9 * 1024 * 1024])('keeps nothing of a body that fails after %i bytes', async (size) => {
      const key = newKey();
      async function* failing() {
        yield* splitBytes(Buffer.alloc(size), 1024 * 1024);
        throw new Error('the connection broke');
      }
      await expect(store.put(key, failing())).rejects.toThrow('the connection broke');
      await expect(store.get(key)).rejects.toThrow(StoredFileMissing);
    });

    test('knows no key that was never put', async () => {
      await expect(store.get(newKey())).rejects.toThrow(StoredFileMissing);
    });

    test('removes, and does not mind removing again', async () => {
      const key = newKey();
      await store.put(key, splitBytes(Buffer.from('x'), 1));
      await store.remove(key);
      await store.remove(key);
      await expect(store.get(key)).rejects.toThrow(StoredFileMissing);
    });

    test.each(['../secret', '/etc/passwd', 'ab/../../x', 'aa/b', 'C:\\x', `ab/${'a'.repeat(36)}\0`, ''])(
      'refuses the key %j, which was never generated',
      async (key) => {
        await expect(store.put(key, splitBytes(Buffer.from('x'), 1))).rejects.toThrow('not a storage key');
        await expect(store.get(key)).rejects.toThrow('not a storage key');
        await expect(store.remove(key)).rejects.toThrow('not a storage key');
      },
    );
  });
}
