import type { CompletedPart, S3Client } from '@aws-sdk/client-s3';
import { MEGABYTE } from '@millrace/engine/units';

/** S3 takes parts of 5 MiB and more, 10,000 at most; one part is what an upload holds in memory. */
const PART_BYTES = 8 * MEGABYTE;

export interface UploadTarget {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
  readonly ContentType?: string;
}

/** The body in parts of one size, the last one shorter. */
async function* splitBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
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

/** Parts that do not become an object are removed, for they would be paid for. */
async function putInParts(
  { client, ...object }: UploadTarget,
  first: Buffer,
  rest: AsyncGenerator<Buffer>,
): Promise<string> {
  const sdk = await import('@aws-sdk/client-s3');
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(object));
  const { Bucket, Key } = object;
  const upload = { Bucket, Key, UploadId };
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
    const { ETag } = await client.send(
      new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload }),
    );
    return ETag ?? '';
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

/** Stores a body of any length and resolves to its entity tag; a long one in several requests, one part in memory at a time. */
export async function upload(target: UploadTarget, body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts = splitBody(body);
  const first = await parts.next();
  const Body = first.done ? Buffer.alloc(0) : first.value;
  if (Body.length === PART_BYTES) return putInParts(target, Body, parts);
  const { client, ...object } = target;
  const { PutObjectCommand } = await import('@aws-sdk/client-s3');
  const { ETag } = await client.send(new PutObjectCommand({ ...object, Body, ContentLength: Body.length }));
  return ETag ?? '';
}
