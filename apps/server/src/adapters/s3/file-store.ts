import type { Readable } from 'node:stream';
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import { type FileStore, requireStorageKey, StoredFileMissing } from '../../ports/file-store.ts';

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
/** S3 takes parts of 5 MiB and more; one part is what an upload holds in memory. */
const PART_BYTES = 8 * 1024 * 1024;

/** Loaded at the first use: 20 MB that a plain start does not need. */
const loadSdk = () => import('@aws-sdk/client-s3');

/** The body in parts of one size, the last one shorter. */
async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    pending.push(chunk);
    size += chunk.length;
    while (size >= PART_BYTES) {
      const whole = Buffer.concat(pending);
      yield whole.subarray(0, PART_BYTES);
      pending = [whole.subarray(PART_BYTES)];
      size -= PART_BYTES;
    }
  }
  if (size > 0) yield Buffer.concat(pending);
}

interface Target {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

/** Parts that do not become a file are removed, so that they cost nothing. */
async function putInParts(
  { client, ...object }: Target,
  first: Buffer,
  rest: AsyncGenerator<Buffer>,
): Promise<void> {
  const sdk = await loadSdk();
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(object));
  const upload = { ...object, UploadId };
  const parts: CompletedPart[] = [];
  const send = async (Body: Buffer) => {
    const PartNumber = parts.length + 1;
    const { ETag } = await client.send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body }));
    parts.push({ PartNumber, ETag });
  };
  try {
    await send(first);
    for await (const part of rest) await send(part);
    const MultipartUpload = { Parts: parts };
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload }));
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
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
      const { client, ...object } = await target(key);
      const { PutObjectCommand } = await loadSdk();
      const parts = partsOf(body);
      const first = await parts.next();
      const Body = first.done ? Buffer.alloc(0) : first.value;
      if (Body.length === PART_BYTES) return putInParts({ client, ...object }, Body, parts);
      // A shorter first part is the last one; reading on lets an error of the body show.
      await parts.next();
      await client.send(new PutObjectCommand({ ...object, Body, ContentLength: Body.length }));
    },
    async get(key) {
      const { client, ...object } = await target(key);
      const { GetObjectCommand, NoSuchKey } = await loadSdk();
      try {
        const { Body } = await client.send(new GetObjectCommand(object));
        return Body as Readable;
      } catch (error) {
        throw error instanceof NoSuchKey ? new StoredFileMissing(key) : error;
      }
    },
    async remove(key) {
      const { client, ...object } = await target(key);
      const { DeleteObjectCommand } = await loadSdk();
      await client.send(new DeleteObjectCommand(object));
    },
    async close() {
      (await connecting)?.destroy();
    },
  };
}
