import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { uploadToS3 } from '@millrace/nodes/runtime';
import { walkCauses } from '../../core/error-chain.ts';
import { NETWORK_CODES } from '../../core/network-codes.ts';
import {
  type FileStore,
  FileStoreUnavailable,
  requireStorageKey,
  StoredFileMissing,
} from '../../ports/file-store.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Address of an S3-compatible server; absent: the provider's own. */
  readonly endpoint?: string | undefined;
  /** Absent: the credentials of the environment (instance role, profile). */
  readonly access_key_id?: string | undefined;
  readonly secret_access_key?: string | undefined;
}

const PREFIX = 'files/';

/** Loaded at the first use: 20 MB that a plain start does not need. */
const loadSdk = () => import('@aws-sdk/client-s3');

interface Target {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

async function connect(options: S3Options): Promise<S3Client> {
  const { S3Client } = await loadSdk();
  const { access_key_id, secret_access_key } = options;
  return new S3Client({
    region: options.region,
    ...(options.endpoint ? { endpoint: options.endpoint, forcePathStyle: true } : {}),
    ...(access_key_id && secret_access_key
      ? { credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key } }
      : {}),
    // Servers that only speak the protocol do not all know the newer checksum headers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

function isUnreachable(error: unknown): boolean {
  for (const at of walkCauses(error)) if (NETWORK_CODES.has((at as { code?: unknown }).code)) return true;
  return error instanceof Error && error.name === 'TimeoutError';
}

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isUnreachable(error) ? new FileStoreUnavailable(error) : error;
  }
}

/** Stores what a source yields; a source that breaks has the same errors as a server that does. */
async function upload(target: Target, body: AsyncIterable<Uint8Array>): Promise<void> {
  let broken: { readonly error: unknown } | undefined;
  async function* watched() {
    try {
      yield* body;
    } catch (error) {
      broken = { error };
      throw error;
    }
  }
  try {
    await reaching(uploadToS3(target, watched()));
  } catch (error) {
    throw broken ? broken.error : error;
  }
}

/** Files in a bucket of an S3-compatible server. */
export function createS3Store(options: S3Options): FileStore {
  let connecting: Promise<S3Client> | undefined;

  async function target(key: string): Promise<Target> {
    requireStorageKey(key);
    connecting ??= connect(options);
    return { client: await connecting, Bucket: options.bucket, Key: `${PREFIX}${key}` };
  }

  return {
    async put(key, body) {
      await upload(await target(key), body);
    },
    async get(key, range) {
      const { client, ...object } = await target(key);
      const { GetObjectCommand, NoSuchKey } = await loadSdk();
      const Range = range && `bytes=${range.start}-${range.end}`;
      try {
        const { Body } = await reaching(client.send(new GetObjectCommand({ ...object, Range })));
        return Body as Readable;
      } catch (error) {
        throw error instanceof NoSuchKey ? new StoredFileMissing(key) : error;
      }
    },
    async remove(key) {
      const { client, ...object } = await target(key);
      const { DeleteObjectCommand } = await loadSdk();
      await reaching(client.send(new DeleteObjectCommand(object)));
    },
    async close() {
      (await connecting)?.destroy();
    },
  };
}
