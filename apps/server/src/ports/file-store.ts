import type { Readable } from 'node:stream';

/** A part of a file: its first and its last byte, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file that is sent, or a part of it. */
export interface FileContent {
  readonly filename: string;
  readonly mime_type: string;
  /** Absent when it is only known at the end. */
  readonly size_bytes?: number;
  readonly stream: NodeJS.ReadableStream;
  /** Present for bytes that stay the same, so that a client can ask for the parts that it lacks. */
  readonly etag?: string;
  /** The part that the stream has; absent: all. */
  readonly range?: ByteRange | undefined;
}

/** Chooses the part of a file that is wanted, by its size and the name of its bytes. */
export type PickRange = (file: {
  readonly size_bytes: number;
  readonly etag: string;
}) => Promise<ByteRange | undefined>;

/** Bytes under generated keys. Names that people give never reach a store. */
export interface FileStore {
  /**
   * Stores all of `body` under the key, or nothing: when `body` fails, its error is thrown again and no part stays.
   *
   * Every call of a store elsewhere may throw `FileStoreUnavailable`.
   */
  put(key: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Throws `StoredFileMissing`. The caller reads the stream to its end or destroys it.
   *
   * @param range within the file; absent: all of it
   */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Does nothing when there is no such key. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The store could not be reached, or went away in the middle: what was asked of it can be asked again. */
export class FileStoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('the file storage cannot be reached', { cause });
    this.name = 'FileStoreUnavailable';
  }
}

/** The record of a file exists, its bytes do not. */
export class StoredFileMissing extends Error {
  constructor(key: string) {
    super(`no stored bytes under ${key}`);
    this.name = 'StoredFileMissing';
  }
}

const KEY = /^[0-9a-f]{2}\/[0-9a-f-]{36}$/;

/** Two characters spread a folder's entries, the rest is the id of what is stored; a file's own id may be given by its caller. */
export const storageKey = (id: string): string => `${id.slice(-2)}/${id}`;

/** Every store calls it first: a key that was not generated is a bug, and must not become a path. */
export function requireStorageKey(key: string): void {
  if (!KEY.test(key)) throw new Error('not a storage key');
}
