import type { S3Client } from '@aws-sdk/client-s3';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { yieldOnce } from '../kit/files/yield-once.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { testS3, withS3 } from './client.ts';
import { s3Credential } from './credential.ts';
import { s3 } from './definition.ts';
import { allObjects, deleteAll, listBuckets, objectRow } from './listing.ts';
import { upload } from './upload.ts';

type Params = z.output<typeof s3.params>;

/** Of an object that becomes part of the run's data. */
const MOST_INLINE_BYTES = 50 * MEGABYTE;
const MOST_KEYS = 1000;

export const runS3 = implement(
  s3,
  async (call: NodeCall<Params>) => {
    const { params, services, signal } = call;
    const work = OPERATIONS[params.s3Operation](params);
    const config = await readCredential(call, s3Credential);
    const output = await withS3({ http: services.http, signal }, config, work);
    return { output: { success: true, ...output } };
  },
  {
    connections: { s3: ({ caller, config }) => testS3(caller, config) },
    choices: { buckets },
  },
);

type Work = (client: S3Client) => Promise<JsonObject>;
const sdk = () => import('@aws-sdk/client-s3');

/** Parameters are checked when an operation is chosen, before anything is sent. */
const OPERATIONS: Readonly<Record<Params['s3Operation'], (params: Params) => Work>> = {
  putObject(params) {
    const { Bucket, Key } = locateObject(params);
    const bytes = decodeBody(params.s3Body);
    const ContentType = params.s3ContentType.trim() || bytes.type || 'text/plain';
    return async (client) => {
      const etag = await upload({ client, Bucket, Key, ContentType }, yieldOnce(bytes.content));
      return { bucket: Bucket, key: Key, etag };
    };
  },
  getObject(params) {
    const target = locateObject(params);
    return async (client) => {
      const { GetObjectCommand } = await sdk();
      const { Body, ContentType, ContentLength } = await client.send(new GetObjectCommand(target));
      const content = await readInline((Body ?? []) as AsyncIterable<Uint8Array>, ContentLength);
      return {
        bucket: target.Bucket,
        key: target.Key,
        content_type: ContentType ?? 'application/octet-stream',
        content_length: content.length,
        ...encodeContent(content, params.s3IncludeBinary),
      };
    };
  },
  deleteObject(params) {
    const target = locateObject(params);
    return async (client) => {
      const { DeleteObjectCommand } = await sdk();
      const { DeleteMarker } = await client.send(new DeleteObjectCommand(target));
      return { bucket: target.Bucket, key: target.Key, delete_marker: DeleteMarker ?? false };
    };
  },
  copyObject(params) {
    const { Bucket, Key } = locateObject(params);
    const source_bucket = params.s3SourceBucket.trim() || Bucket;
    const source_key = readKey(params, 's3SourceKey');
    // https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html: the source is escaped for a URL.
    const CopySource = [source_bucket, ...source_key.split('/')].map(encodeURIComponent).join('/');
    return async (client) => {
      const { CopyObjectCommand } = await sdk();
      const { CopyObjectResult } = await client.send(new CopyObjectCommand({ Bucket, Key, CopySource }));
      return { source_bucket, source_key, bucket: Bucket, key: Key, etag: CopyObjectResult?.ETag ?? '' };
    };
  },
  listObjects(params) {
    const Bucket = requiredText(params, 's3Bucket');
    const MaxKeys = readMaxKeys(params);
    const token = params.s3ContinuationToken.trim();
    return async (client) => {
      const { ListObjectsV2Command } = await sdk();
      const { Contents, IsTruncated, NextContinuationToken } = await client.send(
        new ListObjectsV2Command({
          Bucket,
          MaxKeys,
          ...(params.s3Prefix === '' ? {} : { Prefix: params.s3Prefix }),
          ...(token === '' ? {} : { ContinuationToken: token }),
        }),
      );
      const objects = (Contents ?? []).map(objectRow);
      return {
        bucket: Bucket,
        prefix: params.s3Prefix,
        objects,
        count: objects.length,
        truncated: IsTruncated ?? false,
        next_continuation_token: NextContinuationToken ?? null,
      };
    };
  },
  createFolder(params) {
    const { Bucket, folder } = readFolder(params);
    return async (client) => {
      const { PutObjectCommand } = await sdk();
      const Body = new Uint8Array();
      const { ETag } = await client.send(
        new PutObjectCommand({ Bucket, Key: folder, Body, ContentLength: 0 }),
      );
      return { bucket: Bucket, folder, etag: ETag ?? '' };
    };
  },
  deleteFolder(params) {
    const { Bucket, folder } = readFolder(params);
    return async (client) => {
      const found = await allObjects(client, Bucket, folder);
      const deleted_keys = found.flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
      await deleteAll(client, Bucket, deleted_keys);
      return { bucket: Bucket, folder, deleted_count: deleted_keys.length, deleted_keys };
    };
  },
  getAllFolder(params) {
    const { Bucket, folder } = readFolder(params);
    return async (client) => {
      const found = await allObjects(client, Bucket, folder);
      const objects = found.filter(({ key }) => key !== folder);
      return { bucket: Bucket, folder, objects, count: objects.length };
    };
  },
  createBucket(params) {
    const Bucket = requiredText(params, 's3Bucket');
    return async (client) => {
      const { CreateBucketCommand } = await sdk();
      const region = await client.config.region();
      // The first region is the one that must not be named.
      const place =
        region === 'us-east-1'
          ? {}
          : { CreateBucketConfiguration: { LocationConstraint: region as 'eu-central-1' } };
      await client.send(new CreateBucketCommand({ Bucket, ...place })).catch((error: unknown) => {
        // So that a repetition after a crash finds what the first attempt has made.
        if (!(error instanceof Error) || error.name !== 'BucketAlreadyOwnedByYou') throw error;
      });
      return { bucket: Bucket, region };
    };
  },
  deleteBucket(params) {
    const Bucket = requiredText(params, 's3Bucket');
    return async (client) => {
      const { DeleteBucketCommand } = await sdk();
      await client.send(new DeleteBucketCommand({ Bucket }));
      return { bucket: Bucket };
    };
  },
  listBuckets() {
    return async (client) => {
      const found = await listBuckets(client);
      return { buckets: found, count: found.length };
    };
  },
};

const locateObject = (params: Params) => ({
  Bucket: requiredText(params, 's3Bucket'),
  Key: readKey(params, 's3Key'),
});

/** A key that is not changed on its way: addresses know the parts `.` and `..` as steps. */
function readKey(params: Params, name: 's3Key' | 's3SourceKey' | 's3Prefix'): string {
  const key = params[name];
  if (key.trim() === '') throw refusedParam(name, 'is empty; enter a value or check its expression');
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw refusedParam(name, 'must not have the parts . and ..');
  return key;
}

/** A folder is a prefix that ends with a slash; an empty one would be the whole bucket. */
function readFolder(params: Params): { Bucket: string; folder: string } {
  const name = params.s3Prefix.trim() === '' && params.s3Key.trim() !== '' ? 's3Key' : 's3Prefix';
  const key = readKey(params, name);
  return { Bucket: requiredText(params, 's3Bucket'), folder: key.endsWith('/') ? key : `${key}/` };
}

function readMaxKeys(params: Params): number {
  return readCount(params, 's3MaxKeys', { most: MOST_KEYS, usual: 100 });
}

/** Text as it is; a data URL (RFC 2397) with base64 stands for its bytes. */
function decodeBody(body: string): { content: Buffer; type?: string } {
  const [, type = '', base64 = ''] = /^data:([^,;]*);base64,([A-Za-z0-9+/_=\s-]*)$/.exec(body) ?? [];
  return base64 === ''
    ? { content: Buffer.from(body, 'utf8') }
    : { content: Buffer.from(base64, 'base64'), type };
}

async function readInline(body: AsyncIterable<Uint8Array>, length = 0): Promise<Buffer> {
  const tooLarge = () =>
    new NodeFailure({
      kind: 'upstream',
      message: `The object is larger than ${MOST_INLINE_BYTES / 1024 / 1024} MB and cannot be part of the run's data`,
      final: true,
    });
  if (length > MOST_INLINE_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_INLINE_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Bytes that are no text are base64 in any case, for as text they would be damaged. */
function encodeContent(content: Buffer, asBase64: boolean): Record<string, Json> {
  if (!asBase64) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
      if (!text.includes('\0')) return { body_text: text };
    } catch {
      // Told by the name of the field.
    }
  }
  return { body_base64: content.toString('base64') };
}

async function buckets({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const found = await withS3(caller, config, listBuckets);
  return choicesFrom(found, request, ({ name }) => ({ value: name, label: name }));
}
